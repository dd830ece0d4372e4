import { languages } from '../../../languages/index.ts'
import {
  Type,
  boolean,
  list,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  string,
  type Static,
} from '../../../kernel/schema.ts'
import { languageMap } from '../../../kernel/text/localized.ts'
import { clearableMember, webAddress } from '../settings.schema.ts'

/** The families of fonts that the platform serves itself, as Google Fonts names them. */
export const fontFamilies = [
  'Inter',
  'Open Sans',
  'Figtree',
  'Jost',
  'Archivo',
  'Cormorant Garamond',
  'Playfair Display',
] as const
export type FontFamily = (typeof fontFamilies)[number]

/** The finished looks: how type, lines and room are used. */
export const lookNames = ['quiet', 'bold', 'editorial'] as const
export type LookName = (typeof lookNames)[number]

/** The sections of the page of a passport below its head, in their usual order. */
export const sectionNames = [
  'materials',
  'performance',
  'care',
  'repair',
  'recycling',
  'proofs',
  'documents',
  'origin',
  'dimensions',
  'people',
  'packaging',
  'labels',
  'about',
  'more',
  'parents',
  'story',
] as const
export type SectionName = (typeof sectionNames)[number]

/** The texts of a brand, each with the most characters that it may have. */
export const textLengths = { tagline: 120, story: 1_000, care: 1_000, claim: 400, help: 400, footer: 400 } as const
export const textNames = Object.keys(textLengths) as (keyof typeof textLengths)[]
export type TextName = keyof typeof textLengths

const colourText = (description: string) =>
  string(description, { pattern: '^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$', examples: ['#0a7d54'] })

const title = nameText('Heading, instead of the name.')
const mode = oneOf(
  ['light', 'dark', 'auto', 'system'],
  "`auto`: as the visitor's device says; `system` is its former name and means the same.",
)
const primaryColor = colourText('Buttons and links; darkened or lightened where text in it could not be read.')
const secondaryColor = colourText('Accents.')
const logoUrl = webAddress('Top of pages.')
const bgImageUrl = webAddress('Wide picture of the brand.')
/** What is stored may be older than the list of families. */
const storedFont = string('Family of the pages.', { pattern: '^[A-Za-z0-9][A-Za-z0-9 ]{0,63}$' })
const googleFont = oneOf(fontFamilies, 'Family that the platform serves.')
const look = oneOf(lookNames, 'Finished look: type, lines and room.')
const sections = list(oneOf(sectionNames, 'A section.'), 'Sections of a passport first; the others follow as usual.', {
  maxItems: sectionNames.length,
  uniqueItems: true,
})
const offered = list(oneOf(languages, 'A language.'), 'Languages of pages; the first one for all other readers.', {
  minItems: 1,
  maxItems: languages.length,
  uniqueItems: true,
})
const hideFooter = boolean('Leave out our name; if the plan has it.')

const text = (description: string, name: TextName) =>
  string(description, { minLength: 1, maxLength: textLengths[name], pattern: '\\S' })
const texts = {
  tagline: nameText('Beneath the heading.', { maxLength: textLengths.tagline }),
  story: text('About the brand.', 'story'),
  care: text('How to care for its products.', 'care'),
  claim: text('Beside the form that claims.', 'claim'),
  help: text('How to reach the brand.', 'help'),
  footer: text('End of pages.', 'footer'),
}

/** The texts of a brand in one language. */
const ThemeTexts = object(
  {
    tagline: optional(texts.tagline),
    story: optional(texts.story),
    care: optional(texts.care),
    claim: optional(texts.claim),
    help: optional(texts.help),
    footer: optional(texts.footer),
  },
  { title: 'ApplicationThemeTexts', description: "The brand's own texts in one language, plain text." },
)

const ThemeTextsPatch = object(
  {
    tagline: clearableMember(texts.tagline),
    story: clearableMember(texts.story),
    care: clearableMember(texts.care),
    claim: clearableMember(texts.claim),
    help: clearableMember(texts.help),
    footer: clearableMember(texts.footer),
  },
  { title: 'ApplicationThemeTextsPatch', description: "The brand's own texts in one language; null clears one." },
)

const textsDescription = 'By BCP 47 tag, as `fr` or `pt-BR`. A reader of another language sees the first that fits.'

export const Theme = object(
  {
    title: optional(title),
    mode: optional(mode),
    primaryColor: optional(primaryColor),
    secondaryColor: optional(secondaryColor),
    logoUrl: optional(logoUrl),
    bgImageUrl: optional(bgImageUrl),
    googleFont: optional(storedFont),
    look: optional(look),
    sections: optional(sections),
    texts: optional(languageMap(ThemeTexts, textsDescription)),
    languages: optional(offered),
    hideFooter: optional(hideFooter),
  },
  { title: 'ApplicationTheme', description: "How the application's pages look; unset members are left out." },
)
export type Theme = Static<typeof Theme>
export type ThemeTexts = Static<typeof ThemeTexts>

export const ThemePatch = object(
  {
    title: clearableMember(title),
    mode: clearableMember(mode),
    primaryColor: clearableMember(primaryColor),
    secondaryColor: clearableMember(secondaryColor),
    logoUrl: clearableMember(logoUrl),
    bgImageUrl: clearableMember(bgImageUrl),
    googleFont: clearableMember(googleFont),
    look: clearableMember(look),
    sections: clearableMember(sections),
    texts: clearableMember(languageMap(nullable(ThemeTextsPatch), textsDescription)),
    languages: clearableMember(offered),
    hideFooter: clearableMember(hideFooter),
  },
  { title: 'ApplicationThemePatch', description: 'Look of pages; null clears a member.' },
)

/** A colour of a theme that pages show in another shade. */
export const ThemeAdjustment = object(
  {
    colour: oneOf(['primaryColor'], 'Member of `theme`.'),
    scheme: oneOf(['light', 'dark'], 'On which pages.'),
    given: string('As the theme says it.'),
    shown: string('What pages show.'),
    contrast: Type.Number({ description: 'Of the given one to the page, to 1; text needs 4.5.' }),
  },
  { title: 'ApplicationThemeAdjustment', description: 'A colour in which text could not be read (WCAG 2.2, AA).' },
)
export type ThemeAdjustment = Static<typeof ThemeAdjustment>
