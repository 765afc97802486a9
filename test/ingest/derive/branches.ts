import type { Row } from '../../../catalog/index.ts'
import { body, ingest } from '../../fixtures/ingest/bodies.ts'
import type { TestService } from '../../support.ts'

export const BRANCHES = 'broker-branch-reference'
export const FIRMS = 'securities-firm-master'
export const UNRESOLVED = 'broker_id_unresolved_fallback_key'

const listed = (code: string, name: string, address = '台北市範例路1號') => ({
  出表日期: '1150630',
  證券商代號: code,
  證券商名稱: name,
  開業日: '0831224',
  地址: address,
  電話: '02-00000000',
})
/**
 * A list of branches. One firm has its head office in the list. Two other firms do not, and one of
 * them is not in the register either.
 */
const LIST = JSON.stringify([
  listed('9100', '範金'),
  listed('9131', '範金-民權'),
  listed('1042', '臺範-臺南', ''),
  listed('7001', '無名-桃園'),
])

/** Publishes lists of branches and firms, and reads the branches. */
export function branchesOn(s: TestService) {
  const read = async (): Promise<Readonly<Record<string, Row>>> => {
    const { data } = (await s.get(`/v2/datasets/${BRANCHES}`, s.keyOn('free'))).json()
    return Object.fromEntries(data.map((row: Row) => [row['branch_code'], row]))
  }
  return {
    read,
    branches: () => ingest(s, 'broker-branches', [body(s, 'branches.json', LIST)], { accept: ['row_count_drift'] }),
    firms: (...names: readonly (readonly [id: string, name: string])[]) =>
      s.publish(
        FIRMS,
        names.map(([broker_id, broker_name]) => ({ ...s.dataset(FIRMS).example[0], broker_id, broker_name })),
      ),
    parents: async () =>
      Object.fromEntries(Object.entries(await read()).map(([code, row]) => [code, [row['parent_broker_code'], row['data_gaps']]])),
  }
}

/** Parents of the listed branches after both firms are published. */
export const RESOLVED = { '9131': ['9100', []], '1042': ['1040', ['address_missing']], '7001': ['name:無名', [UNRESOLVED]] }
