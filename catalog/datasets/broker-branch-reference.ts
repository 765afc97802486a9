import { defineDataset, MONTHLY_REGISTER, SNAPSHOT_ONLY } from '../schema/index.ts'

export default defineDataset({
  slug: 'broker-branch-reference',
  id: 'broker_branch_reference',
  title: 'Broker branch reference',
  titleZh: '證券商分支機構',
  family: 'market_structure',
  description:
    'Active branches of securities firms, with parent firm, name and address, from the current list of the exchange. Branch codes are case-sensitive: 585B and 585b are two branches.',
  descriptionZh: '交易所目前名冊上營業中的證券商分公司，含總公司、名稱與地址。分公司代號區分大小寫：585B 與 585b 是兩家分公司。',
  access: { plan: 'free', credits: 1 },
  status: 'reference',
  version: '1.0.0',
  columns: {
    parent_broker_code: {
      type: 'text',
      zh: '總公司代號',
      doc: 'Exchange code of the parent firm. The firm is found by its name, not by the prefix of the branch code. If no firm has the name, this is a fallback key.',
      docZh: '總公司的交易所代號，以名稱比對而得，不由分公司代號的前綴推定；名稱無法對應任何證券商時，為本服務自編的代號。',
    },
    parent_broker_name: { type: 'text', zh: '總公司名稱', doc: 'Short name of the parent firm.', docZh: '總公司的簡稱。' },
    branch_code: {
      type: 'text',
      zh: '分公司代號',
      doc: 'Exchange code of the branch. Codes are case-sensitive.',
      docZh: '分公司的交易所代號，區分大小寫。',
    },
    branch_name: {
      type: 'text',
      zh: '分公司名稱',
      doc: 'Name of the branch without the name of the parent firm.',
      docZh: '分公司名稱，不含總公司名稱。',
    },
    market: { type: 'text', zh: '市場', doc: 'Exchange whose list contains the branch.', docZh: '名冊列有該分公司的交易所。' },
    address: {
      type: 'text',
      nullable: true,
      zh: '地址',
      doc: 'Street address, with full-width digits and punctuation converted to half width. Null if the list has no address. In this case, data_gaps contains a label.',
      docZh: '地址，全形數字與標點轉為半形；名冊未載時為空值，並於 data_gaps 註明。',
    },
    source_provider: { type: 'text', provenance: true, zh: '資料提供者', doc: 'Publisher of the list.', docZh: '公布名冊的機構。' },
    source_role: {
      type: 'text',
      provenance: true,
      zh: '來源角色',
      doc: 'Role of the source: canonical or fallback.',
      docZh: '來源為主要來源或替代來源。',
    },
    source_family: {
      type: 'text',
      provenance: true,
      zh: '來源類別',
      doc: 'Group of publications to which the source belongs.',
      docZh: '來源所屬的類別。',
    },
    source_lineage: {
      type: 'json',
      shape: {
        members: {
          synthetic: 'boolean',
          emitter: 'text',
          open_date: 'text',
          branch_code: 'text',
          broker_code: 'text',
          source_date: 'text',
          source_provider: 'text',
          source_role: 'text',
          source_family: 'text',
          raw_branch_name: 'text',
          broker_id_source: 'text',
          source_canonical: 'text',
          branch_name_guess: 'text',
          broker_name_guess: 'text',
        },
      },
      provenance: true,
      zh: '資料來源紀錄',
      doc: 'Details of the source: entry of the list, date of the list, opening date of the branch, and method that separated the names of parent and branch.',
      docZh: '名冊上的原始項目、開業日與名冊日期，以及總公司與分公司名稱的拆分方式。',
    },
    data_gaps: {
      type: 'json',
      shape: { list: 'text' },
      provenance: true,
      zh: '資料缺漏',
      doc: 'Labels of the values missing in this row. Empty if the row is complete.',
      docZh: '資料列缺漏內容的標籤；完整時為空清單。',
    },
  },
  grain: ['branch_code'],
  key: 'branch_code',
  parent: 'parent_broker_code',
  listedOn: "try_cast(source_lineage->>'$.source_date' AS DATE)",
  publish: { mode: 'replace' },
  reconcile: [
    {
      method: 'parent_in_firm_master',
      doc: 'Compares the name of the parent firm with the name that securities-firm-master has for the same code. Rows whose parent firm is not in securities-firm-master cannot be compared.',
      docZh: '比對總公司名稱與證券商名冊中同一代號的名稱；名冊沒有的總公司無法比對。',
      source: 'securities_firm_master',
      over: 'release',
      against: { dataset: 'securities-firm-master', on: { broker_id: 't.parent_broker_code' } },
      holds: `CASE WHEN o.broker_id IS NOT NULL THEN ${plainName('t.parent_broker_name')} = ${plainName('o.broker_name')} END`,
    },
  ],
  filters: {
    parent_broker_code: {
      column: 'parent_broker_code',
      op: 'eq',
      example: '5850',
      doc: 'Code of the parent firm whose branches to return. Codes are case-sensitive.',
    },
    branch_code: {
      column: 'branch_code',
      op: 'eq',
      pattern: '[0-9A-Za-z]{4}(/[0-9A-Za-z]{4})*',
      example: '585b',
      doc: 'Code of the branch to return. Codes are case-sensitive.',
    },
    parent_broker_name: {
      column: 'parent_broker_name',
      op: 'eq',
      fold: 'tai',
      example: '統一',
      doc: 'Exact short name of the parent firm whose branches to return. The characters 臺 and 台 are equivalent.',
    },
    market: { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], fold: 'upper', example: 'TWSE', doc: 'Market to return.' },
    source_provider: { column: 'source_provider', op: 'eq', example: 'twse', doc: 'Publisher whose rows to return.' },
    source_role: { column: 'source_role', op: 'eq', example: 'canonical', doc: 'Source role whose rows to return.' },
    source_family: { column: 'source_family', op: 'eq', example: 'twse_open_data', doc: 'Returns rows of this source family.' },
  },
  fields: [
    {
      time: 'snapshot',
      entity: 'branch',
      id: 'branch_code',
      role: 'source_role',
      of: 'the list of active branches',
      ofZh: '營業中的分公司名單',
      group: 'branch',
      words: { branch_name: 'name' },
      names: {
        parent_broker_code: 'parent_broker_code',
        parent_broker_name: 'parent_broker_name',
        branch_name: 'branch_name',
        market: 'market',
        address: 'address',
      },
      defaults: ['parent_broker_code', 'parent_broker_name', 'branch_name', 'market', 'address'],
    },
  ],
  order: [
    ['parent_broker_code', 'asc'],
    ['branch_code', 'asc'],
  ],
  sortable: ['parent_broker_code', 'branch_code'],
  search: [
    {
      type: 'branch',
      id: 'branch_code',
      title: ['parent_broker_name', 'branch_name'],
      subtitle: ['address'],
      market: 'market',
      param: 'branch_code',
      linked: true,
    },
    { type: 'broker', id: 'parent_broker_code', title: ['parent_broker_name'], market: 'market', rank: 2, param: 'parent_broker_code' },
  ],
  envelope: {
    kind: 'C',
    fieldGroup: 'reference',
    view: 'reference_snapshot',
    scope: 'broker_branch',
    coverage: 'current_snapshot',
    counts: { parent_broker_count: 'parent_broker_code', branch_count: 'branch_code' },
    filters: {
      market_filter: 'market',
      source_provider_filter: 'source_provider',
      source_role_filter: 'source_role',
      source_family_filter: 'source_family',
    },
  },
  lineage: {
    families: ['twse_open_data'],
    semantics: 'active_branch_and_its_parent_firm',
    role: 'canonical',
    selected: 'twse_brk02',
    fallbacks: ['twse_broker_list_sheet'],
    notes: ['parent_found_by_name_not_by_code_prefix', 'branch_codes_are_case_sensitive'],
    url: 'https://openapi.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange',
    attributionZh: '臺灣證券交易所',
  },
  knownGaps: {
    address_missing: {
      en: 'The address is null for branches without an address in the list.',
      zh: '部分分公司在名冊上沒有地址，address 為空值。',
    },
    broker_id_unresolved_fallback_key: {
      en: 'If no registered firm has the name of the parent firm, parent_broker_code contains a fallback key.',
      zh: '總公司名稱無法對應任何登記證券商時，以本服務自編的代號代替證券商代號。',
    },
    current_snapshot_only_no_history: SNAPSHOT_ONLY,
  },
  warnings: ['not_investment_advice'],
  cadence: MONTHLY_REGISTER,
  coverage: { markets: ['TWSE'], delisted: false },
  example: [row('585B', '永和', '新北市範例路1號', '1994-05-02'), row('585b', '內湖', null, '2008-09-15')],
})

/**
 * Returns SQL of a comparable name. The lists write both 臺 and 台 for the same firm, and use spaces
 * inconsistently.
 */
function plainName(column: string): string {
  return `regexp_replace(replace(${column}, '臺', '台'), '\\s', '', 'g')`
}

function row(code: string, name: string, address: string | null, opened: string) {
  const source = { source_provider: 'twse', source_role: 'canonical', source_family: 'twse_open_data' }
  return {
    parent_broker_code: '5850',
    parent_broker_name: '統一',
    branch_code: code,
    branch_name: name,
    market: 'TWSE',
    address,
    ...source,
    source_lineage: {
      emitter: 'twse_broker_branches',
      open_date: opened,
      branch_code: code,
      broker_code: '5850',
      source_date: '2026-06-30',
      ...source,
      raw_branch_name: `統一-${name}`,
      broker_id_source: 'name_lookup',
      source_canonical: 'twse_brk02',
      branch_name_guess: name,
      broker_name_guess: '統一',
    },
    data_gaps: address === null ? ['address_missing'] : [],
  }
}
