import { say } from '../../parts/language.ts'
import { type Described, paramsOf, type Unknown } from './question.ts'

interface LeftOutProps {
  readonly unknown: Unknown
  readonly described: Described
  readonly isDay: boolean
}

/** Lists unknown filters and columns in the address, and the available ones. */
export function LeftOut({ unknown: { parameters, columns }, described, isDay }: LeftOutProps) {
  if (parameters.length + columns.length === 0) return null
  return (
    <div class="notice warn" id="left-out" role="alert">
      {parameters.length > 0 && (
        <p>
          {say({ en: 'Unknown filters, ignored: ', zh: '沒有這些篩選條件，已略過：' })}
          <Names names={parameters} />. {say({ en: 'Available: ', zh: '可用的篩選條件：' })}
          <Names names={paramsOf(described, isDay)} />.
        </p>
      )}
      {columns.length > 0 && (
        <p>
          {say({ en: 'Unknown columns, ignored: ', zh: '沒有這些欄位，已略過：' })}
          <Names names={columns} />. {say({ en: 'Available: ', zh: '可用的欄位：' })}
          <Names names={described.schema.columns.map(({ name }) => name)} />.
        </p>
      )}
    </div>
  )
}

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <>
    {names.map((name, index) => (
      <span key={name}>
        {index > 0 && ', '}
        <code>{name}</code>
      </span>
    ))}
  </>
)
