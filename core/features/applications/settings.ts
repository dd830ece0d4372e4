import { mergePatch } from '../../kernel/json/merge-patch.ts'
import { createValidationProblem } from '../../kernel/problem.ts'
import type { ApplicationPatch } from './applications.schema.ts'
import type { StoredLoyaltySettings } from './settings.schema.ts'
import type { Theme } from './themes/theme.schema.ts'

/** Values of members that were never set. */
export const loyaltyDefaults = { frequencyCapPer24h: 3, conversionWindowDays: 7 } as const

/** Returns how often a card is notified at most, and how long a visit counts as the success of a campaign. */
export const getCampaignLimits = ({ loyaltySettings }: { loyaltySettings: StoredLoyaltySettings }) => ({
  frequencyCapPer24h: loyaltySettings.frequencyCapPer24h ?? loyaltyDefaults.frequencyCapPer24h,
  conversionWindowDays: loyaltySettings.conversionWindowDays ?? loyaltyDefaults.conversionWindowDays,
})

/** Returns the theme with a patch applied; null in the patch clears a member. */
export function mergeTheme(theme: Theme, patch: ApplicationPatch['theme']): Theme {
  return mergePatch(theme, patch ?? {})
}

/**
 * Returns the settings with a patch applied. Stores amounts as text because numbers would lose digits.
 * @throws VALIDATION_FAILED
 */
export function mergeLoyaltySettings(
  stored: StoredLoyaltySettings,
  patch: ApplicationPatch['loyaltySettings'],
): StoredLoyaltySettings {
  const merged: Record<string, unknown> = mergePatch({ ...stored }, patch ?? {})
  for (const name of ['pointsConversionThreshold', 'welcomeBonus', 'pointsConversionThresholdValue']) {
    const value = merged[name]
    if (typeof value === 'number') merged[name] = formatDecimal(value, `loyaltySettings.${name}`)
  }
  return merged as StoredLoyaltySettings
}

/**
 * Formats a number as a plain decimal. JavaScript writes a number below a millionth with an exponent; such a number is
 * useless as an amount.
 * @throws VALIDATION_FAILED if the number has no plain form or more than 8 decimals
 */
function formatDecimal(value: number, path: string): string {
  const text = String(value)
  if (/^\d{1,16}(\.\d{1,8})?$/.test(text)) return text
  throw createValidationProblem([{ path, code: 'format', message: 'must have at most 8 decimals' }])
}
