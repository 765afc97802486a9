import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'cbc-money-market',
  title: 'Central bank EG41M01, monthly money market rates since 1987: JSON',
  dataset: 'money-market-rates',
  called: { en: 'EG41M01, money market rates', zh: 'EG41M01 貨幣市場利率' },
  url: 'https://cpx.cbc.gov.tw/',
  // One download contains all past periods.
  fetch: [{ period: 'latest', keeps: 'all', requests: [{ url: 'https://cpx.cbc.gov.tw/API/DataAPI/Get?FileName=EG41M01' }] }],
  columns: { month: { from: '期間', form: 'month' }, period_end: { from: '期間', form: 'month' } },
  unpivot: {
    label: 'item',
    value: 'rate',
    headings: {
      金融業拆款: 'interbank_call_loan',
      '商業本票-初級市場-1-30天': 'commercial_paper_primary_1_30',
      '商業本票-初級市場-31-90天': 'commercial_paper_primary_31_90',
      '商業本票-初級市場-91-180天': 'commercial_paper_primary_91_180',
      '商業本票-次級市場-1-30天': 'commercial_paper_secondary_1_30',
      '商業本票-次級市場-31-90天': 'commercial_paper_secondary_31_90',
      '商業本票-次級市場-91-180天': 'commercial_paper_secondary_91_180',
      '可轉讓定期存單-次級市場-1-90天': 'certificates_of_deposit_secondary_1_90',
      '可轉讓定期存單-次級市場-91-180天': 'certificates_of_deposit_secondary_91_180',
      '銀行承兌匯票-次級市場-1-30天': 'bankers_acceptances_secondary_1_30',
      '銀行承兌匯票-次級市場-31-90天': 'bankers_acceptances_secondary_31_90',
      '銀行承兌匯票-次級市場-91-180天': 'bankers_acceptances_secondary_91_180',
      '國庫券-初級市場-1-91天': 'treasury_bills_primary_1_91',
      '國庫券-初級市場-92-182天': 'treasury_bills_primary_92_182',
      '國庫券-初級市場-183-364天': 'treasury_bills_primary_183_364',
      '國庫券-次級市場-1-30天': 'treasury_bills_secondary_1_30',
      '國庫券-次級市場-31-91天': 'treasury_bills_secondary_31_91',
      '國庫券-次級市場-92-182天': 'treasury_bills_secondary_92_182',
      '公債附條件交易利率-次級市場-1-30天': 'bond_repurchase_secondary_1_30',
      '公債附條件交易利率-次級市場-31-90天': 'bond_repurchase_secondary_31_90',
      '公債附條件交易利率-次級市場-91-180天': 'bond_repurchase_secondary_91_180',
    },
  },
}

export default feed
