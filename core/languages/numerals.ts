/** The forms of a word by the number that it stands with. `other` is also for each form that a language does not tell apart. */
type WordForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>

/** How a language writes numbers, and which form of a word a number needs. */
interface Numerals {
  format: (count: number | bigint) => string
  choose: (count: number | bigint, forms: WordForms) => string
}

/** Creates the numerals of a region, such as `fr-FR`. Source: ECMA-402; Unicode CLDR, plural rules. */
export function createNumerals(region: string): Numerals {
  const numbers = new Intl.NumberFormat(region)
  const rules = new Intl.PluralRules(region)
  return {
    format: (count) => numbers.format(count),
    choose: (count, forms) => forms[rules.select(Number(count))] ?? forms.other,
  }
}
