import { expect, it } from 'vitest'
import { stored } from '../../fixtures/publish/store.ts'
import { FORMS, partsByForm } from './file-forms.ts'
import { publisher } from './publisher.ts'

it.each(['securities-firm-master', 'broker-branch-reference', 'bond-yield-curve', 'company-earnings'])(
  'the same rows of %s make byte-identical parts from every file format',
  async slug => {
    const parts = await partsByForm(publisher, slug, s => stored(s.workspace.releases, slug).manifest.parts.map(part => part.sha256))
    for (const form of FORMS) expect.soft(parts[form], `${slug} as ${form}`).toEqual(parts['csv'])
  },
)
