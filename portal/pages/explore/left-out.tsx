import { say } from '../../parts/language.ts'
import { type Described, paramsOf, type Unknown } from './question.ts'

interface LeftOutProps {
  readonly unknown: Unknown
  readonly described: Described
  readonly isDay: boolean
}

/** Says what of an address was left out, for the dataset has no such filter or column, and which it has. */
export function LeftOut({ unknown: { parameters, columns }, described, isDay }: LeftOutProps) {
  if (parameters.length + columns.length === 0) return null
  return (
    <div class="notice warn" id="left-out" role="alert">
      {parameters.length > 0 && (
        <p>
          {say({ en: 'Not a filter here, so left out: ', zh: '此處沒有這些篩選，已略過：' })}
          <Names names={parameters} />. {say({ en: 'There are ', zh: '可用的篩選：' })}
          <Names names={paramsOf(described, isDay)} />.
        </p>
      )}
      {columns.length > 0 && (
        <p>
          {say({ en: 'Not a column here, so left out: ', zh: '此處沒有這些欄位，已略過：' })}
          <Names names={columns} />. {say({ en: 'There are ', zh: '可用的欄位：' })}
          <Names names={described.schema.columns.map(({ name }) => name)} />.
        </p>
      )}
    </div>
  )
}

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <>
    {names.map((name, at) => (
      <span key={name}>
        {at > 0 && ', '}
        <code>{name}</code>
      </span>
    ))}
  </>
)
