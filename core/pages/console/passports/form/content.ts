import type { Issue } from '../../../../kernel/problem.ts'
import { isObject } from '../../../../kernel/json/values.ts'
import type { FormTexts } from './controls.ts'
import type { FormShape } from './form.views.ts'
import type { PassportContent } from './patch.ts'
import { readMembers, writeMembers, type ParsedForm } from './values.ts'

const plainMembers = ['reference', 'allowedClaimEmail', 'allowedClaimPhoneNumber', 'certificateUri'] as const

/** Writes the content of a passport into the texts of its form. */
export function writeContent(content: PassportContent, { root, definitions }: FormShape): FormTexts {
  const texts: Record<string, string> = { certifiedPaths: content.certifiedPaths.join('\n') }
  for (const name of plainMembers) texts[name] = content[name] ?? ''
  writeMembers(texts, root, content[root] ?? {}, definitions)
  if (isObject(content.data)) writeMembers(texts, 'data', content.data, [])
  return texts
}

/** The content that a form says, with the control of each path, and the texts that could not be read. */
export interface FormContent {
  content: PassportContent
  controls: ReadonlyMap<string, string>
  issues: readonly Issue[]
}

/** Reads the content of a passport from the texts of its form. */
export function readContent(texts: FormTexts, { root, definitions }: FormShape): FormContent {
  const parsed: ParsedForm = { controls: new Map(), issues: [] }
  for (const name of [...plainMembers, 'certifiedPaths', 'network', 'application']) parsed.controls.set(name, name)
  const readText = (name: string): string | null => texts[name]?.trim() || null
  const values = readMembers(texts, { control: root, path: root }, definitions, parsed)
  const data = root === 'product' ? readMembers(texts, { control: 'data', path: 'data' }, [], parsed) : null
  if (data) parsed.controls.set('data', 'data~r')
  const content: PassportContent = {
    reference: readText('reference'),
    allowedClaimEmail: readText('allowedClaimEmail'),
    allowedClaimPhoneNumber: readText('allowedClaimPhoneNumber'),
    certificateUri: readText('certificateUri'),
    certifiedPaths: (texts['certifiedPaths'] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    [root]: values,
    ...(data && { data }),
  }
  return { content, controls: parsed.controls, issues: parsed.issues }
}
