/** A function that makes a value when it is first called and gives back the same one from then on; where making fails, the next call tries again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
