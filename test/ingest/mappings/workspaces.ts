import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Publisher, publisher } from '../publish/publisher.ts'

/**
 * A publishing workspace for each test of a file. It has a served calendar, because otherwise every
 * check would build a calendar.
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
     * Writes lines to a file in the data folder.
     *
     * @returns its path
     */
    file: (name: string, lines: readonly string[]) => s.file(name, `${lines.join('\n')}\n`),
  }
}
