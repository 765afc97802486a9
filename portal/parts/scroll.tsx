import type { ComponentChildren } from 'preact'

/**
 * Shows content that scrolls separately, also by keyboard.
 *
 * @param label name for screen readers
 */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
