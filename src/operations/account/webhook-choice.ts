import { type Catalog, served } from '../../../catalog/index.ts'
import { type Config, type Fault, nearest } from '../../core/index.ts'
import { findDataset } from '../../coverage/index.ts'
import { targetMistake } from '../../webhooks/index.ts'

/** What the choice of an endpoint is held against. */
export interface ChoiceDeps {
  readonly catalog: Catalog
  readonly config: Pick<Config, 'webhookPrivateHosts'>
}

/**
 * What is wrong with the URL and the datasets of an endpoint, beyond their form; that they are text is for its declaration to say.
 *
 * @param given a body as sent, or a choice
 */
export function choiceFaults({ catalog, config }: ChoiceDeps, given: unknown): readonly Fault[] {
  const { url, datasets } = (given ?? {}) as Readonly<Record<'url' | 'datasets', unknown>>
  const names = Array.isArray(datasets) ? datasets.filter(name => typeof name === 'string') : []
  return [...(typeof url === 'string' ? urlFaults(url, config.webhookPrivateHosts) : []), ...datasetFaults(catalog, names)]
}

function urlFaults(url: string, privateHosts: boolean): readonly Fault[] {
  const mistake = targetMistake(url, privateHosts)
  return mistake === null ? [] : [{ loc: ['body', 'url'], words: { en: `url ${mistake.en}`, zh: `url ${mistake.zh}` }, type: 'url' }]
}

function datasetFaults(catalog: Catalog, names: readonly string[]): readonly Fault[] {
  const known = served(catalog).map(({ slug }) => slug)
  return names
    .filter(name => !known.includes(findDataset(catalog, name)?.slug ?? name))
    .map(slug => {
      const guess = nearest(slug, known)
      const words = {
        en: `datasets names ${slug}, which is no dataset${guess === undefined ? '' : `; did you mean ${guess}?`}`,
        zh: `datasets 中的 ${slug} 不是資料集${guess === undefined ? '' : `；您是否要找 ${guess}？`}`,
      }
      return { loc: ['body', 'datasets'], words, type: 'enum', input: slug }
    })
}
