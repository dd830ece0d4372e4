import type { Issue } from '../../../kernel/problem.ts'
import { isHarmfulAddress } from '../../../kernel/text/addresses.ts'
import { validateCertifiedContent } from '../../certification/index.ts'
import { getCertifiedData } from './certified-content.ts'

/** The maximum nesting of a passport's content, including the content itself. */
const maxLevels = 20
/** The maximum size of one content as JSON in UTF-8. */
const maxContentBytes = 256 * 1024
const maxIssues = 100
/** Names that are dangerous for programs that read the content. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The pattern of an `ipfs://` address with a content identifier of version 0 or 1, with or without a path. Source:
 * CIDv1, multibase.
 */
const ipfsAddressPattern = new RegExp(
  '^ipfs://(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,110}|z[1-9A-HJ-NP-Za-km-z]{48,90}|f[0-9a-f]{72,140}'
    + '|k[0-9a-z]{50,110})(/[\\x21-\\x7e]*)?$',
)
const maxAddressLength = 500

interface ContentValidation {
  issues: Issue[]
  bytes: number
}

/**
 * Validates the size, depth, names and addresses of free content.
 * @param at the path of the content
 */
export function validateContent(content: Record<string, unknown>, at: string): ContentValidation {
  const issues: Issue[] = []
  collectIssues(content, at, 1, issues)
  const bytes = Buffer.byteLength(JSON.stringify(content))
  if (bytes > maxContentBytes) {
    issues.push({ path: at, code: 'too_large', message: `has more than ${maxContentBytes / 1024} KiB as JSON` })
  }
  return { issues, bytes }
}

function collectIssues(value: unknown, at: string, level: number, issues: Issue[]): void {
  if (typeof value === 'string') return validateText(value, at, issues)
  if (typeof value !== 'object' || value === null || issues.length >= maxIssues) return
  if (level > maxLevels) {
    issues.push({ path: at, code: 'too_deep', message: `nests deeper than ${maxLevels} levels` })
    return
  }
  if (Array.isArray(value))
    return value.forEach((item, index) => collectIssues(item, `${at}[${index}]`, level + 1, issues))
  for (const [name, member] of Object.entries(value)) {
    const path = `${at}.${name.slice(0, 100)}`
    if (unsafeNames.has(name)) issues.push({ path, code: 'name', message: 'is a name that content cannot have' })
    else collectIssues(member, path, level + 1, issues)
  }
}

/**
 * Validates a text, because some readers of pages and credentials make a link of any text that looks like an address.
 */
function validateText(text: string, at: string, issues: Issue[]): void {
  if (isHarmfulAddress(text) && issues.length < maxIssues) {
    issues.push({ path: at, code: 'address', message: 'is an address that would run something or open a file' })
  }
}

/** Validates the data of a passport. */
export function validateData(data: Record<string, unknown>, at = 'data'): Issue[] {
  const { issues } = validateContent(data, at)
  const form = data['opt_in_form']
  const isAddress = typeof form === 'string' && form.length <= maxAddressLength && ipfsAddressPattern.test(form)
  if (form === undefined || isAddress) return issues
  const wrong = typeof form === 'string' ? 'format' : 'type'
  return [...issues, { path: `${at}.opt_in_form`, code: wrong, message: 'must be the ipfs:// address of a form' }]
}

/**
 * Finds paths that could never lead to a value of data. A path that leads to no value yet is valid; it counts as soon
 * as there is a value.
 */
export function validateDataPaths(paths: readonly string[]): Issue[] {
  return paths.flatMap((path, index) =>
    path.split('.').every((name) => name !== '' && !unsafeNames.has(name))
      ? []
      : [{ path: `certifiedPaths[${index}]`, code: 'unknown_path', message: 'can lead to no value of the data' }],
  )
}

/** Finds values at certified paths that could never be certified. */
export const validateCertifiedData = (
  data: Record<string, unknown>,
  paths: readonly string[],
  protectedTerms?: ReadonlySet<string>,
): Issue[] => validateCertifiedContent({ product: {}, data: getCertifiedData(data, paths) }, protectedTerms)
