import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Publisher, publisher } from '../publish/publisher.ts'

/**
 * A publishing workspace for each test of a file, with a served calendar: without one, every check
 * builds a whole calendar.
 */
export function workspacesWithCalendar() {
  let template: Publisher
  let s: Publisher
  beforeAll(async () => {
    template = await publisher()
    await template.publishSomeCalendar()
  })
  afterAll(() => template.close())
  beforeEach(async () => {
    s = await publisher({ copyOf: template.dir })
  })
  afterEach(() => s.close())
  return {
    dir: () => s.dir,
    now: () => s.workspace,
    dataset: (slug: string) => s.dataset(slug),
    /**
     * Writes a file of lines into the data folder.
     * @returns its path
     */
    file: (name: string, lines: readonly string[]) => s.file(name, `${lines.join('\n')}\n`),
  }
}
