import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'cbc-fx-rates',
  title: 'Central bank BP01D01, daily exchange rates since 1993: JSON',
  dataset: 'fx-rates',
  called: { en: 'BP01D01, daily exchange rates', zh: 'BP01D01 我國與主要貿易對手通貨對美元之匯率' },
  url: 'https://cpx.cbc.gov.tw/',
  // One download contains all past periods.
  fetch: [{ period: 'latest', keeps: 'all', requests: [{ url: 'https://cpx.cbc.gov.tw/API/DataAPI/Get?FileName=BP01D01' }] }],
  columns: { source: { always: 'cbc' }, date: '期間' },
  unpivot: {
    label: 'pair',
    value: 'rate',
    headings: {
      '新台幣NTD/USD': 'USD/TWD',
      '日圓JPY/USD': 'USD/JPY',
      '英鎊USD/GBP': 'GBP/USD',
      '港幣HKD/USD': 'USD/HKD',
      '韓元KRW/USD': 'USD/KRW',
      '加拿大幣CAD/USD': 'USD/CAD',
      '新加坡元SGD/USD': 'USD/SGD',
      '人民幣CNY/USD': 'USD/CNY',
      '澳幣USD/AUD': 'AUD/USD',
      '印尼盾IDR/USD': 'USD/IDR',
      '泰銖THB/USD': 'USD/THB',
      '馬來西亞幣MYR/USD': 'USD/MYR',
      '菲律賓披索PHP/USD': 'USD/PHP',
      '歐元USD/EUR': 'EUR/USD',
      '馬克DEM/USD': 'USD/DEM',
      '法國法郎FRF/USD': 'USD/FRF',
      '荷蘭幣NLG/USD': 'USD/NLG',
      '越南盾VND/USD': 'USD/VND',
    },
  },
}

export default feed
