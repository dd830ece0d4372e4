import { previewAudience, type Campaign } from '../../../../features/loyalty/index.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { countHeldBack, type AudienceNumbers } from '../editor/audience.ts'
import { campaignWords } from '../words/words.ts'

/** Messages that Google takes in a second. Source: Google Wallet API, quotas. */
const googlePerSecond = 20
/** With fewer than these in a group, a comparison of the two says little. */
export const minComparedSize = 100

/** Whom a draft would reach now. */
export interface Reach extends AudienceNumbers {
  /** Those of them whose message goes through Google. */
  byGoogle: number
}

/** Computes how many minutes Google needs for messages, rounded up. */
export const countGoogleMinutes = (messages: number): number => Math.ceil(messages / googlePerSecond / 60)

/** Counts whom a draft would reach now. */
export async function readReach(
  { work, member }: ConsolePage,
  { application, channels, targeting }: Campaign,
): Promise<Reach> {
  const found = await previewAudience(work, member, { application, channels, targeting })
  const hasGoogle = channels.includes('google-wallet')
  const google =
    hasGoogle && channels.length > 1
      ? (await previewAudience(work, member, { application, channels: ['google-wallet'], targeting })).reachableNow
      : found.reachableNow
  const heldBack = countHeldBack(found.reachableNow, targeting.holdoutPercent)
  return { ...found, heldBack, byGoogle: hasGoogle ? google : 0 }
}

/** Lists what sending would do, sentence by sentence. @param isLater whether it is sent at another time */
export function listConsequences(
  { language }: ConsolePage,
  { content, targeting }: Campaign,
  { reachableNow, withheld, heldBack, byGoogle }: Reach,
  isLater = false,
): (string | false)[] {
  const phrases = campaignWords[language]
  const reached = reachableNow - heldBack
  const reaches = isLater ? phrases.wouldReach(reached) : phrases.reaches(reached)
  return [
    reached === 0 && !isLater ? phrases.reachesNobody : reaches,
    withheld > 0 && phrases.isWithheld(withheld),
    heldBack > 0 && phrases.isHeldBack(heldBack, targeting.holdoutPercent ?? 0),
    heldBack > 0 && heldBack < minComparedSize && phrases.warnHoldout,
    byGoogle > 0 && phrases.googlePace(countGoogleMinutes(byGoogle)),
    content !== null && phrases.says(content.headline, content.body),
    isLater ? phrases.canCancel : phrases.isFinal,
  ]
}
