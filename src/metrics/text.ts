import { FAMILIES, type Family, type FamilyName } from './families.ts'
import type { HistogramState } from './instruments.ts'

/** A value and its labels, in the order of the label names. */
export type Sample = readonly [value: number | HistogramState, ...labels: readonly string[]]

export type Samples = Readonly<Partial<Record<FamilyName, readonly Sample[]>>>

export const TEXT_FORMATS = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
} as const
export type TextFormat = keyof typeof TEXT_FORMATS

/** Returns OpenMetrics if the `Accept` header names OpenMetrics, otherwise Prometheus. */
export const textFormatFor = (accept: string | undefined): TextFormat =>
  accept?.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus'

export function metricsText(samples: Samples, form: TextFormat): string {
  const families = Object.entries(FAMILIES) as readonly (readonly [FamilyName, Family])[]
  const text = families.map(([name, family]) => familyText(name, family, samples[name] ?? [], form)).join('')
  return form === 'openmetrics' ? `${text}# EOF\n` : text
}

function familyText(name: string, family: Family, samples: readonly Sample[], form: TextFormat): string {
  if (samples.length === 0) return ''
  // In these lines, OpenMetrics omits the suffix `_total`.
  const familyName = form === 'openmetrics' ? name.replace(/_total$/, '') : name
  const lines = samples.flatMap(sample => sampleLines(name, family, sample))
  return `# HELP ${familyName} ${family.help}\n# TYPE ${familyName} ${family.kind}\n${lines.join('\n')}\n`
}

function sampleLines(name: string, { labels: names }: Family, [value, ...values]: Sample): readonly string[] {
  const labels = names.map((label, index) => `${label}="${escapeLabel(values[index] ?? '')}"`)
  if (typeof value === 'number') return [`${name}${braced(labels)} ${value}`]
  const { bounds, counts, sum } = value
  let count = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    count += counts[index]!
    return `${name}_bucket${braced([...labels, `le="${bound === Number.POSITIVE_INFINITY ? '+Inf' : decimal(bound)}"`])} ${count}`
  })
  return [...buckets, `${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${count}`]
}

const braced = (labels: readonly string[]): string => (labels.length === 0 ? '' : `{${labels.join(',')}}`)
/** OpenMetrics requires a decimal point. */
const decimal = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : String(bound))
const escapeLabel = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
