import { type Catalog, served } from '../../../catalog/index.ts'
import { type Config, type Fault, nearest } from '../../core/index.ts'
import { findDataset } from '../../coverage/index.ts'
import { targetMistake } from '../../webhooks/index.ts'

export interface SettingsDeps {
  readonly catalog: Catalog
  readonly config: Pick<Config, 'webhookPrivateHosts'>
}

/**
 * Checks URL and datasets. Types must already be correct.
 * @param body request body, or settings
 */
export function settingsFaults({ catalog, config }: SettingsDeps, body: unknown): readonly Fault[] {
  const { url, datasets } = (body ?? {}) as Readonly<Record<'url' | 'datasets', unknown>>
  const names = Array.isArray(datasets) ? datasets.filter(name => typeof name === 'string') : []
  return [...(typeof url === 'string' ? urlFaults(url, config.webhookPrivateHosts) : []), ...datasetFaults(catalog, names)]
}

function urlFaults(url: string, privateHosts: boolean): readonly Fault[] {
  const mistake = targetMistake(url, privateHosts)
  return mistake === null ? [] : [{ loc: ['body', 'url'], words: { en: `url ${mistake.en}`, zh: `url ${mistake.zh}` }, type: 'url' }]
}

function datasetFaults(catalog: Catalog, names: readonly string[]): readonly Fault[] {
  const slugs = served(catalog).map(({ slug }) => slug)
  return names
    .filter(name => !slugs.includes(findDataset(catalog, name)?.slug ?? name))
    .map(slug => {
      const suggestion = nearest(slug, slugs)
      const words = {
        en: `datasets contains the unknown dataset ${slug}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
        zh: `datasets 含有不存在的資料集 ${slug}${suggestion === undefined ? '' : `；您是否要找 ${suggestion}？`}`,
      }
      return { loc: ['body', 'datasets'], words, type: 'enum', input: slug }
    })
}
