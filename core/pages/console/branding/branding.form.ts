import { isDeepStrictEqual } from 'node:util'
import {
  findText,
  sectionNames,
  starts,
  textNames,
  type ApplicationPatch,
  type LookName,
  type Theme,
} from '../../../features/applications/index.ts'
import { languages } from '../../../languages/index.ts'
import { isObject } from '../../../kernel/json/values.ts'
import { createValidationProblem, type Issue, type ProblemError } from '../../../kernel/problem.ts'
import { listPatchIssues } from '../applications/settings.form.ts'
import { listFirstIssues } from '../frame/forms.views.ts'

/** The members of a theme that are one field each. */
export const plainNames = [
  'title',
  'look',
  'googleFont',
  'mode',
  'primaryColor',
  'secondaryColor',
  'logoUrl',
  'bgImageUrl',
  'hideFooter',
] as const
export type PlainName = (typeof plainNames)[number]

const createNames = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at + 1}`)
/** The members of a theme that are lists: each element is a field of its own, in its order. */
export const listNames = { sections: sectionNames, languages } as const
export type ListName = keyof typeof listNames
export const listFields: Readonly<Record<ListName, readonly string[]>> = {
  sections: createNames('sections', sectionNames.length),
  languages: createNames('languages', languages.length),
}

/** The fields of the texts, one for each text in each language of our pages, such as `tagline.fr`. */
export const getTextField = (name: string, tag: string): string => `${name}.${tag}`
const textFields = languages.flatMap((tag) => textNames.map((name) => ({ tag, name, field: getTextField(name, tag) })))

/** All fields of the form. */
export const fieldNames: readonly string[] = [
  ...plainNames,
  ...listFields.sections,
  ...listFields.languages,
  ...textFields.map(({ field }) => field),
]

/** What the form of the looks says: each field, empty if it is not set. */
export type BrandingForm = Readonly<Record<string, string>>

const createForm = (read: (name: string) => string | undefined): BrandingForm =>
  Object.fromEntries(fieldNames.map((name) => [name, read(name) ?? '']))

/** Returns the form as it is filled in before anybody changes it. */
export function toForm(theme: Theme): BrandingForm {
  const values = new Map<string, string>()
  for (const name of plainNames) if (theme[name] !== undefined) values.set(name, String(theme[name]))
  for (const name of Object.keys(listNames) as ListName[])
    for (const [at, element] of (theme[name] ?? []).entries()) values.set(listFields[name][at] ?? '', element)
  for (const { tag, name, field } of textFields) values.set(field, theme.texts?.[tag]?.[name] ?? '')
  return createForm((name) => values.get(name))
}

/** Reads the form as it was sent. */
export const readForm = (body: Readonly<Record<string, string | undefined>>): BrandingForm =>
  createForm((name) => body[name]?.trim().replaceAll('\r\n', '\n'))

/** Fills a form with a finished look. What only the brand can say stays as it is. */
export const startWith = (form: BrandingForm, look: LookName): BrandingForm => ({
  ...form,
  ...Object.fromEntries(listFields.sections.map((name) => [name, ''])),
  ...Object.fromEntries(Object.entries(toForm(starts[look])).filter(([, value]) => value !== '')),
})

const readList = (form: BrandingForm, name: ListName): string[] =>
  listFields[name].flatMap((field) => (form[field] ? [form[field]] : []))

/** The members of a theme as a form says them, which the schema has not judged. */
interface WrittenTheme extends Record<string, unknown> {
  texts?: Record<string, Record<string, string>>
}

/** Returns the members that a form sets. */
function readTheme(form: BrandingForm): WrittenTheme {
  const plain = plainNames.filter((name) => form[name]).map((name) => [name, form[name]])
  const texts: Record<string, Record<string, string>> = {}
  for (const { tag, name, field } of textFields) if (form[field]) texts[tag] = { ...texts[tag], [name]: form[field] }
  const lists = (Object.keys(listNames) as ListName[])
    .map((name) => [name, readList(form, name)] as const)
    .filter(([, elements]) => elements.length > 0)
  return {
    ...Object.fromEntries(plain),
    ...(form['hideFooter'] && { hideFooter: form['hideFooter'] === 'true' }),
    ...Object.fromEntries(lists),
    ...(Object.keys(texts).length > 0 && { texts }),
  }
}

/** The path of a member in the body of the API. */
export const getFieldPath = (name: string): string => `theme.${name}`

/** Returns the path of a text in the body of the API. */
export const getTextPath = (name: string, tag: string): string => `theme.texts.${tag}.${name}`

/** Lists what is wrong with a form, each field once. */
const listIssues = (form: BrandingForm): Issue[] => listFirstIssues(listPatchIssues({ theme: readTheme(form) }))

/** Creates the merge patch that makes one object of the other. */
function createMergePatch(stored: object, wanted: object): Record<string, unknown> {
  const before = new Map<string, unknown>(Object.entries(stored))
  const after = new Map<string, unknown>(Object.entries(wanted))
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isDeepStrictEqual(before.get(name), after.get(name)),
  )
  return Object.fromEntries(
    changed.map((name) => {
      const [from, to] = [before.get(name), after.get(name) ?? null]
      return [name, isObject(from) && isObject(to) ? createMergePatch(from, to) : to]
    }),
  )
}

/**
 * Creates the patch that a form asks for: only what it changes. Texts in languages that the form does not have stay.
 * @throws VALIDATION_FAILED with every field that is wrong, each once
 */
export function createThemePatch(theme: Theme, form: BrandingForm): ApplicationPatch {
  const issues = listIssues(form)
  if (issues.length > 0) throw createValidationProblem(issues)
  const { texts = {}, ...wanted } = readTheme(form)
  const others = Object.entries(theme.texts ?? {}).filter(([tag]) => !(languages as readonly string[]).includes(tag))
  const all = { ...Object.fromEntries(others), ...texts }
  return { theme: createMergePatch(theme, { ...wanted, ...(Object.keys(all).length > 0 && { texts: all }) }) }
}

/** The looks that a form describes, which nothing has stored. */
export interface DraftLooks {
  /** The fields that are written as they have to be. */
  theme: Theme
  /** What is wrong with the others. */
  problem: ProblemError | undefined
}

/** Reads the looks that a form describes. */
export function readDraft(form: BrandingForm): DraftLooks {
  const issues = listIssues(form)
  const wrong = issues.map(({ path }) => path)
  const isRight = (path: string) => !wrong.some((one) => one === path || one.startsWith(`${path}[`))
  const kept: Record<string, string> = { ...form }
  for (const name of plainNames) if (!isRight(getFieldPath(name))) kept[name] = ''
  for (const name of Object.keys(listNames) as ListName[])
    if (!isRight(getFieldPath(name))) for (const field of listFields[name]) kept[field] = ''
  for (const { tag, name, field } of textFields) if (!isRight(getTextPath(name, tag))) kept[field] = ''
  return {
    theme: readTheme(kept) as Theme,
    problem: issues.length > 0 ? createValidationProblem(issues) : undefined,
  }
}

/**
 * Picks the fields that a preview needs: of the texts only those that it shows, so that its address stays short.
 * @param language the language of the preview
 */
export function pickShown(form: BrandingForm, language: string): BrandingForm {
  const { theme } = readDraft(form)
  const texts = textNames.flatMap((name) => {
    const tag = findText(theme, name, language)?.tag
    return tag ? [getTextField(name, tag)] : []
  })
  const names = [...plainNames, ...listFields.sections, ...listFields.languages, ...texts]
  return Object.fromEntries(names.map((name) => [name, form[name] ?? '']))
}
