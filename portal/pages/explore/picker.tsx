import type { CatalogDataset } from '../../../clients/typescript/src/index.ts'
import { titleOf } from '../../api/catalog.ts'
import { say, to } from '../../parts/language.ts'
import type { Question } from './question.ts'

/** Chooses between a key's days and a day's keys; the filters of one are not those of the other. */
export function Extent({ question, onChange }: { readonly question: Question; readonly onChange: (question: Question) => void }) {
  const choose = (isDay: boolean) => onChange({ ...question, isDay, filters: {}, release: question.release })
  return (
    <fieldset class="extent">
      <legend class="visually-hidden">{say({ en: 'Rows', zh: '資料範圍' })}</legend>
      <label>
        <input type="radio" name="extent" checked={!question.isDay} onChange={() => choose(false)} />{' '}
        {say({ en: 'One symbol, its days', zh: '單一代號的歷史' })}
      </label>{' '}
      <label>
        <input type="radio" name="extent" checked={question.isDay} onChange={() => choose(true)} />{' '}
        {say({ en: 'One day, every symbol', zh: '單日全部代號' })}
      </label>
    </fieldset>
  )
}

/** Goes to another dataset. */
export function Picker({ datasets, dataset }: { readonly datasets: readonly CatalogDataset[]; readonly dataset: CatalogDataset }) {
  const families = [...new Set(datasets.map(({ family }) => family))]
  return (
    <p>
      <label for="dataset">{say({ en: 'Dataset', zh: '資料集' })}</label>{' '}
      <select id="dataset" value={dataset.slug} onChange={event => location.assign(to(`/explore/${event.currentTarget.value}`))}>
        {families.map(family => (
          <optgroup key={family} label={family.replaceAll('_', ' ')}>
            {datasets
              .filter(one => one.family === family)
              .map(one => (
                <option key={one.slug} value={one.slug}>
                  {titleOf(one)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>{' '}
      <a href={to(`/datasets/${dataset.slug}`)}>{say({ en: 'About this dataset', zh: '資料集說明' })}</a>
    </p>
  )
}
