import { changesFeed, NO_TERMS, termsOf } from './shared/capital-change.ts'
import { requireChange, SPLIT_NAMES } from './shared/tpex-splits.ts'

export default changesFeed({
  feed: {
    name: 'tpex-par-changes',
    title: 'TPEx changes of par value of a range of days, with reference prices and terms: JSON',
    url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/pvChgRslt',
    fetch: [
      {
        period: 'month',
        requests: [
          { url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/pvChgRslt?startDate={first:YYYY/MM/DD}&endDate={YYYY/MM/DD}&response=json' },
        ],
      },
    ],
  },
  called: 'TPEx 變更股票面額恢復買賣參考價格',
  market: 'TPEX',
  names: SPLIT_NAMES,
  terms: row => {
    const { halted_on, figure } = termsOf(row, SPLIT_NAMES.details)
    const exchange_ratio = figure('變更股票面額換股率')
    requireChange(row, exchange_ratio !== null, { en: 'changes of the par value', zh: '變更股票面額' })
    const [par_before, par_after] = [figure('變更前股票面額'), figure('變更後股票面額')]
    return { ...NO_TERMS, change_type: 'par_value_change', halted_on, exchange_ratio, par_before, par_after }
  },
})
