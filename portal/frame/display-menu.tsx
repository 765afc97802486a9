import { Choice } from '../parts/choice.tsx'
import { type Display, display, setDisplay } from '../parts/display.ts'
import { say, type Words } from '../parts/language.ts'

function Setting<K extends keyof Display>({
  name,
  words,
  options,
}: {
  name: K
  words: Words
  options: Readonly<Record<Display[K], Words>>
}) {
  return (
    <div>
      <p>{say(words)}</p>
      <Choice
        label={say(words)}
        options={(Object.keys(options) as Display[K][]).map(value => ({ value, label: say(options[value]) }))}
        chosen={display.value[name]}
        onChoose={value => setDisplay({ [name]: value })}
      />
    </div>
  )
}

/** Menu for units of figures and colors of prices. */
export function DisplayMenu() {
  const label = say({ en: 'Units and colours', zh: '單位與漲跌色' })
  return (
    <>
      <button type="button" id="display-button" popovertarget="display-menu" aria-label={label} title={label}>
        {say({ en: 'Units', zh: '單位' })}
      </button>
      <section id="display-menu" popover="auto" aria-label={label}>
        <Setting
          name="volume"
          words={{ en: 'Volume', zh: '成交量與股數' }}
          options={{ lots: { en: 'lots (1,000 shares)', zh: '張' }, shares: { en: 'shares', zh: '股' } }}
        />
        <Setting
          name="amounts"
          words={{ en: 'Large amounts', zh: '大額數字' }}
          options={{ compact: { en: 'M and B', zh: '億、萬' }, full: { en: 'all digits', zh: '完整數字' } }}
        />
        <Setting
          name="colours"
          words={{ en: 'Rising prices', zh: '漲跌顏色' }}
          options={{ 'red-up': { en: 'red (Taiwan)', zh: '紅漲綠跌' }, 'green-up': { en: 'green', zh: '綠漲紅跌' } }}
        />
      </section>
    </>
  )
}
