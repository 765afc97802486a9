import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

export interface Tab<T extends string> {
  readonly id: T
  readonly label: string
}

export interface TabsProps<T extends string> {
  /** Prefix for ids. It must be unique on the page. */
  readonly id: string
  readonly label: string
  readonly tabs: readonly Tab<T>[]
  readonly chosen: T
  readonly onChoose: (tab: T) => void
}

/** Tabs. Only one tab is in the tab order. Arrow keys, Home and End choose another tab. */
export function Tabs<T extends string>({ id, label, tabs, chosen, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null)
  const keys = (event: KeyboardEvent) => {
    const [index, count] = [tabs.findIndex(tab => tab.id === chosen), tabs.length]
    const next = { ArrowLeft: (index + count - 1) % count, ArrowRight: (index + 1) % count, Home: 0, End: count - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    onChoose(tabs[next]!.id)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div role="tablist" aria-label={label} ref={list} onKeyDown={keys}>
      {tabs.map(tab => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${id}-${tab.id}`}
          aria-selected={tab.id === chosen}
          aria-controls={`${id}-shown`}
          tabIndex={tab.id === chosen ? 0 : -1}
          onClick={() => onChoose(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  )
}

interface TabPanelProps {
  readonly id: string
  readonly chosen: string
  readonly isBusy?: boolean
  readonly height?: number
  readonly children: ComponentChildren
}

export const TabPanel = ({ id, chosen, isBusy = false, height = 0, children }: TabPanelProps) => (
  <div
    class="panel-body"
    role="tabpanel"
    id={`${id}-shown`}
    aria-labelledby={`${id}-${chosen}`}
    aria-busy={isBusy}
    style={{ '--height': `${height}px` }}
  >
    {children}
  </div>
)
