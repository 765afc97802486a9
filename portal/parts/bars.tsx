import { number } from './language.ts'

/** One column: what it is called, and its value; columns stand in the order given. */
export interface Bar {
  readonly name: string
  readonly value: number
}

const [WIDTH, HEIGHT, TOP, BOTTOM, LEFT] = [640, 180, 14, 20, 52]

/**
 * Columns over time, drawn by the browser itself. What they show has to be in a table beside them too.
 *
 * @param label what is shown, read out in the place of the picture
 * @param unit in the words of the page, behind values
 */
export function Bars({ bars, label, unit }: { readonly bars: readonly Bar[]; readonly label: string; readonly unit: string }) {
  const most = roundUp(Math.max(...bars.map(bar => bar.value), 1))
  const room = (WIDTH - LEFT) / Math.max(bars.length, 1)
  const tall = (value: number): number => (value / most) * (HEIGHT - TOP - BOTTOM)
  const each = Math.ceil(bars.length / 6)
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {[0, 0.5, 1].map(part => (
        <g key={part}>
          <line x1={LEFT} x2={WIDTH} y1={HEIGHT - BOTTOM - tall(most * part)} y2={HEIGHT - BOTTOM - tall(most * part)} />
          <text x={LEFT - 6} y={HEIGHT - BOTTOM - tall(most * part) + 4} text-anchor="end">
            {number(most * part, 1)}
          </text>
        </g>
      ))}
      {bars.map(({ name, value }, at) => (
        <g key={name}>
          <rect x={LEFT + at * room + room * 0.12} width={room * 0.76} y={HEIGHT - BOTTOM - tall(value)} height={tall(value)} rx="2">
            <title>{`${name}: ${number(value)} ${unit}`}</title>
          </rect>
          {at % each === 0 && (
            <text x={LEFT + (at + 0.5) * room} y={HEIGHT - 5} text-anchor="middle">
              {name}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

/** The next of 2, 4, 10, 20, 40 … that is no less: its half is a whole number too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * [1, 2, 4, 10].find(step => step * power >= Math.max(value, 2))!
}
