import { unlessRunning } from '../core/tick.ts'

/** What is made from releases and takes up the served ones when told to. */
export interface Follower {
  refresh(): Promise<void>
}

/** How soon what is made from a release follows it: the calendar, the updates feed, the newest rows that queries keep at hand, what search finds. */
const TAKE_UP_MS = 100

/** Lets each take up what is served: now, and again and again until told to stop. */
export function followReleases(followers: readonly Follower[]) {
  const takeUp = async (): Promise<void> => void (await Promise.all(followers.map(follower => follower.refresh())))
  // A look that takes long is not looked after again: others go on.
  const looks = followers.map(follower => unlessRunning(() => follower.refresh()))
  const timer = setInterval(() => looks.forEach(look => void look()), TAKE_UP_MS)
  timer.unref()
  void takeUp()
  return {
    /** Resolves once every one has taken up what is served by now. */
    takeUp,
    /** Begins nothing more; a look that runs is not ended. */
    stop: (): void => clearInterval(timer),
  }
}
