import { FAMILIES, type Family, type FamilyName } from './families.ts'
import type { HistogramState } from './instruments.ts'

/** A value with those of the family's labels, in their order. */
export type Sample = readonly [value: number | HistogramState, ...labels: readonly string[]]

/** Samples by metric; one without an entry has none to tell. */
export type Samples = Readonly<Partial<Record<FamilyName, readonly Sample[]>>>

/** Forms of the text, the one that is preferred first. */
export const FORMS = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
} as const
export type Form = keyof typeof FORMS

/** The form for an `Accept` header: OpenMetrics where it names it, the older one of Prometheus otherwise. */
export const formFor = (accept: string | undefined): Form =>
  accept?.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus'

/** The text of a scrape, families in the order they are declared. */
export function textOf(samples: Samples, form: Form): string {
  const families = Object.entries(FAMILIES) as readonly (readonly [FamilyName, Family])[]
  const text = families.map(([name, family]) => familyText(name, family, samples[name] ?? [], form)).join('')
  return form === 'openmetrics' ? `${text}# EOF\n` : text
}

function familyText(name: string, family: Family, samples: readonly Sample[], form: Form): string {
  if (samples.length === 0) return ''
  // OpenMetrics names the family of a counter without the ending of its samples.
  const familyName = form === 'openmetrics' ? name.replace(/_total$/, '') : name
  const lines = samples.flatMap(sample => sampleLines(name, family, sample))
  return `# HELP ${familyName} ${family.help}\n# TYPE ${familyName} ${family.kind}\n${lines.join('\n')}\n`
}

function sampleLines(name: string, { labels: names }: Family, [value, ...values]: Sample): readonly string[] {
  const labels = names.map((label, at) => `${label}="${escaped(values[at] ?? '')}"`)
  if (typeof value === 'number') return [`${name}${braced(labels)} ${value}`]
  const { bounds, counts, sum } = value
  let count = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, at) => {
    count += counts[at]!
    return `${name}_bucket${braced([...labels, `le="${bound === Number.POSITIVE_INFINITY ? '+Inf' : decimal(bound)}"`])} ${count}`
  })
  return [...buckets, `${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${count}`]
}

const braced = (labels: readonly string[]): string => (labels.length === 0 ? '' : `{${labels.join(',')}}`)
/** OpenMetrics wants bounds with a point, the same in every scrape. */
const decimal = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : String(bound))
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
