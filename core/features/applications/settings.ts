import { mergePatch } from '../../kernel/merge.ts'
import { invalid } from '../../kernel/problem.ts'
import type { ApplicationPatch } from './applications.schema.ts'
import type { StoredLoyaltySettings, Theme } from './settings.schema.ts'

/** Members that were never set take these. */
export const loyaltyDefaults = { frequencyCapPer24h: 3, conversionWindowDays: 7 } as const

/** The theme with a patch applied; null clears a member. */
export function mergeTheme(theme: Theme, patch: ApplicationPatch['theme']): Theme {
  return mergePatch(theme, patch ?? {})
}

/** The settings with a patch applied. Amounts become text, as numbers would lose digits. @throws VALIDATION_FAILED */
export function mergeLoyaltySettings(
  stored: StoredLoyaltySettings, patch: ApplicationPatch['loyaltySettings'],
): StoredLoyaltySettings {
  const merged: Record<string, unknown> = mergePatch({ ...stored }, patch ?? {})
  for (const name of ['pointsConversionThreshold', 'welcomeBonus', 'pointsConversionThresholdValue']) {
    const value = merged[name]
    if (typeof value === 'number') merged[name] = decimal(value, `loyaltySettings.${name}`)
  }
  return merged as StoredLoyaltySettings
}

/** A number as the decimal it was written as; one below a millionth has none and is no use as an amount. */
function decimal(value: number, path: string): string {
  const text = String(value)
  if (/^\d{1,16}(\.\d{1,8})?$/.test(text)) return text
  throw invalid([{ path, code: 'format', message: 'must have at most 8 decimals' }])
}
