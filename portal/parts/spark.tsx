/** Small line chart. The color shows a rise or a fall. The page must state the same in words. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const [width, height] = [300, 80]
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const x = (at: number): number => (at / Math.max(values.length - 1, 1)) * width
  const y = (value: number): number => height - 4 - ((value - least) / (most - least || 1)) * (height - 8)
  const line = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  return (
    <svg
      class={`spark ${values.at(-1)! >= values[0]! ? 'up' : 'down'}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${height} ${line} ${width},${height}`} />
      <polyline points={line} />
    </svg>
  )
}
