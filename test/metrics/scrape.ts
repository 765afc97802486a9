import { request } from 'undici'

/** One scrape of the metrics. A sample is identified by its name with its labels. */
export interface Scrape {
  readonly type: string
  readonly text: string
  readonly samples: ReadonlyMap<string, number>
  /** Types of the metric families, by name. */
  readonly families: ReadonlyMap<string, string>
}

const SAMPLE = /^([a-z][a-z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[\d.e+-]+)$/

/**
 * @param accept default: OpenMetrics
 * @throws Error for a line that is neither a comment nor a sample
 */
export async function scrape(url: string, accept = 'application/openmetrics-text'): Promise<Scrape> {
  const { statusCode, headers, body } = await request(url, { headers: { accept } })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
  const [samples, families] = [new Map<string, number>(), new Map<string, string>()]
  for (const sampleLine of text.trimEnd().split('\n')) {
    const [, name, kind] = /^# TYPE (\S+) (\S+)$/.exec(sampleLine) ?? []
    if (name) families.set(name, kind!)
    if (sampleLine.startsWith('#')) continue
    const [, sample = '', labels = '', value] = SAMPLE.exec(sampleLine) ?? []
    if (sample === '' || samples.has(sample + labels)) throw new Error(`not a sample, or one for the second time: ${sampleLine}`)
    samples.set(sample + labels, Number(value))
  }
  return { type: String(headers['content-type']), text, samples, families }
}
