import { number } from './language.ts'

export interface Bar {
  readonly name: string
  readonly value: number
}

const [WIDTH, HEIGHT, TOP, BOTTOM, LEFT] = [640, 180, 14, 20, 52]

/**
 * Bar chart over time as SVG. The page must also show the values in a table.
 *
 * @param label description for screen readers
 * @param unit in the language of the page
 */
export function Bars({ bars, label, unit }: { readonly bars: readonly Bar[]; readonly label: string; readonly unit: string }) {
  const most = roundUp(Math.max(...bars.map(bar => bar.value), 1))
  const slot = (WIDTH - LEFT) / Math.max(bars.length, 1)
  const tall = (value: number): number => (value / most) * (HEIGHT - TOP - BOTTOM)
  const labelEvery = Math.ceil(bars.length / 6)
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
      {bars.map(({ name, value }, index) => (
        <g key={name}>
          <rect x={LEFT + index * slot + slot * 0.12} width={slot * 0.76} y={HEIGHT - BOTTOM - tall(value)} height={tall(value)} rx="2">
            <title>{`${name}: ${number(value)} ${unit}`}</title>
          </rect>
          {index % labelEvery === 0 && (
            // The first label starts at the axis, so that it does not cover the number at the axis.
            <text x={index === 0 ? LEFT : LEFT + (index + 0.5) * slot} y={HEIGHT - 5} text-anchor={index === 0 ? 'start' : 'middle'}>
              {name}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

/**
 * Returns the smallest of 2, 4, 10, 20, 40 … that is not below the value. Half of the result is a
 * whole number, too.
 */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * [1, 2, 4, 10].find(step => step * power >= Math.max(value, 2))!
}
