interface ChoiceProps<T extends string> {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly label: string }[]
  /** Null if no option applies. */
  readonly chosen: T | null
  readonly onChoose: (value: T) => void
}

export const Choice = <T extends string>({ label, options, chosen, onChoose }: ChoiceProps<T>) => (
  <fieldset class="choice">
    <legend class="visually-hidden">{label}</legend>
    {options.map(option => (
      <button key={option.value} type="button" aria-pressed={option.value === chosen} onClick={() => onChoose(option.value)}>
        {option.label}
      </button>
    ))}
  </fieldset>
)
