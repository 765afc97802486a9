import type { CatalogDataset } from '../../../clients/typescript/src/index.ts'
import { titleOf } from '../../api/catalog.ts'
import { LANGUAGE, linkTo, say } from '../../parts/language.ts'
import { familyWords } from '../../parts/market-words.ts'
import type { Question } from './question.ts'

/** Chooses between all days of one key and all keys of one day. */
export function Extent({ question, onChange }: { readonly question: Question; readonly onChange: (question: Question) => void }) {
  const choose = (isDay: boolean) => onChange({ ...question, isDay, filters: {}, release: question.release })
  return (
    <fieldset class="extent">
      <legend class="visually-hidden">{say({ en: 'Rows', zh: '資料範圍' })}</legend>
      <label>
        <input type="radio" name="extent" checked={!question.isDay} onChange={() => choose(false)} />{' '}
        {say({ en: 'History of chosen symbols', zh: '指定代號的歷史資料' })}
      </label>{' '}
      <label>
        <input type="radio" name="extent" checked={question.isDay} onChange={() => choose(true)} />{' '}
        {say({ en: 'All symbols of one day', zh: '單日全部代號' })}
      </label>
    </fieldset>
  )
}

export function Picker({ datasets, dataset }: { readonly datasets: readonly CatalogDataset[]; readonly dataset: CatalogDataset }) {
  const families = [...new Set(datasets.map(({ family }) => family))]
  return (
    <p>
      <label for="dataset">{say({ en: 'Dataset', zh: '資料集' })}</label>{' '}
      <select id="dataset" value={dataset.slug} onChange={event => location.assign(linkTo(`/explore/${event.currentTarget.value}`))}>
        {families.map(family => (
          <optgroup key={family} label={say(familyWords(family))}>
            {datasets
              .filter(one => one.family === family)
              .sort((one, other) => titleOf(one).localeCompare(titleOf(other), LANGUAGE === 'zh' ? 'zh-Hant' : 'en'))
              .map(option => (
                <option key={option.slug} value={option.slug}>
                  {titleOf(option)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>{' '}
      <a href={linkTo(`/datasets/${dataset.slug}`)}>{say({ en: 'About this dataset', zh: '資料集說明' })}</a>
    </p>
  )
}
