import { type Part, releasePaths } from '../../../src/releases/index.ts'
import type { TestService } from '../../support.ts'

/** A dataset that the lowest plan includes. `PAID` is one that it does not include. */
export const FREE = 'securities-firm-master'
export const PAID = 'bond-yield-curve'

/** The parts of the served release of a dataset. */
export const partsOf = (s: TestService, slug: string): readonly Part[] => s.releases.current(s.dataset(slug)).manifest.parts

/**
 * A URL of a part (by default the dataset's first), signed for a key in the same way as by the
 * service.
 */
export function signedUrl(s: TestService, key: string, slug: string, sha256 = partsOf(s, slug)[0]!.sha256): string {
  const { accountId, keyId, plan, limits } = s.control.keys.find(key, s.now())!
  return s.gate.signFile({ accountId, keyId, plan, limits }, { slug, sha256 }).path
}

/** Path of a part on disk. */
export const fileOf = (s: TestService, slug: string, sha256: string): string => releasePaths(`${s.dir}/releases`, slug).part(sha256)

/** The error code of an answer. */
export const errorOf = (response: { json(): { error: { error_code: string } } }): string => response.json().error.error_code
