import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-final-settlement',
  title: 'TAIFEX final settlement prices, open data FinalSettlementPrice and its tables by kind of contract: JSON or CSV',
  dataset: 'final-settlement',
  called: { en: 'the table of final settlement prices', zh: '最後結算價' },
  url: 'https://openapi.taifex.com.tw/v1/FinalSettlementPrice',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://www.taifex.com.tw/data_gov/taifex_open_data.asp?data_name=FinalSettlementPrice' }] },
  ],
  // The table of position settlements has the same first four columns.
  lacks: ['Long', 'Long(lot)', 'Call/Put', '買方到期部位數', '買賣權別'],
  columns: {
    contract: ['Contract', '商品代號'],
    settlement_date: ['TheFinalSettlementDay', '最後結算日', '到期日'],
    contract_month: ['DeliveryMonth', 'ContractDeliveryMonth', '契約月份'],
    contract_name: ['ContractName', '商品名稱'],
    final_settlement_price: ['TheFinalSettlementPrice', '最後結算價'],
  },
}

export default feed
