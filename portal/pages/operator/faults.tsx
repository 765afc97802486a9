import type { RefusedRule } from '../../../clients/typescript/src/index.ts'
import { number, say } from '../../parts/language.ts'
import { InBoth } from '../../parts/quoted.tsx'

export function Faults({ faults }: { readonly faults: readonly RefusedRule[] }) {
  return (
    <ul class="faults">
      {faults.map(fault => (
        <li key={`${fault.rule} ${fault.column}`}>
          <p class="whole">
            <code>{fault.rule}</code> {fault.column !== null && <code>{fault.column}</code>}{' '}
            {fault.count !== null && <span class="dim">{say({ en: `${number(fault.count)} rows`, zh: `${number(fault.count)} 列` })}</span>}
          </p>
          <p class="whole">
            <InBoth en={fault.message} zh={fault.message_zh} />
          </p>
          {fault.samples.length > 0 && (
            <details>
              <summary>{say({ en: `Invalid values (${fault.samples.length})`, zh: `有問題的值（${fault.samples.length}）` })}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
              <pre tabIndex={0}>
                {fault.samples.map(sample => (typeof sample === 'string' ? sample : JSON.stringify(sample))).join('\n')}
              </pre>
            </details>
          )}
          {fault.accept === null && (
            <p class="dim">
              {say({
                en: 'This rule cannot be accepted. Fix the file and submit it again, or discard it.',
                zh: '此規則無法放行：請修正檔案後重新提供，或捨棄。',
              })}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
