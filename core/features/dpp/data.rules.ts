import type { Violation } from '../../kernel/problem.ts'
import { isHarmfulAddress } from '../../kernel/text/addresses.ts'
import { contentFaults } from '../certification/index.ts'
import { certifiedData } from './certified.ts'

/** Levels that the content of a passport may nest, itself counted. */
const mostLevels = 20
/** Bytes of one content as JSON in UTF-8. */
const mostBytes = 256 * 1024
const mostTold = 100
/** Names by which programs that read the content could be led astray. */
const unsafe = new Set(['__proto__', 'constructor', 'prototype'])

/** An `ipfs://` address of a content identifier, version 0 or 1, with or without a path. Source: CIDv1, multibase. */
const ipfsAddress = new RegExp(
  '^ipfs://(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,110}|z[1-9A-HJ-NP-Za-km-z]{48,90}|f[0-9a-f]{72,140}'
  + '|k[0-9a-z]{50,110})(/[\\x21-\\x7e]*)?$')
const longestAddress = 500

interface Judged { violations: Violation[]; bytes: number }

/** Size, depth, names and addresses of free content: what no reader of it could bear. @param at its path */
export function judgeContent(content: Record<string, unknown>, at: string): Judged {
  const violations: Violation[] = []
  walk(content, at, 1, violations)
  const bytes = Buffer.byteLength(JSON.stringify(content))
  if (bytes > mostBytes) {
    violations.push({ path: at, code: 'too_large', message: `has more than ${mostBytes / 1024} KiB as JSON` })
  }
  return { violations, bytes }
}

function walk(value: unknown, at: string, level: number, violations: Violation[]): void {
  if (typeof value === 'string') return judgeText(value, at, violations)
  if (typeof value !== 'object' || value === null || violations.length >= mostTold) return
  if (level > mostLevels) {
    violations.push({ path: at, code: 'too_deep', message: `nests deeper than ${mostLevels} levels` })
    return
  }
  if (Array.isArray(value)) return value.forEach((item, index) => walk(item, `${at}[${index}]`, level + 1, violations))
  for (const [name, member] of Object.entries(value)) {
    const path = `${at}.${name.slice(0, 100)}`
    if (unsafe.has(name)) violations.push({ path, code: 'name', message: 'is a name that content cannot have' })
    else walk(member, path, level + 1, violations)
  }
}

/** Some reader of a page or of a credential makes a link of any text that looks like one. */
function judgeText(text: string, at: string, violations: Violation[]): void {
  if (isHarmfulAddress(text) && violations.length < mostTold) {
    violations.push({ path: at, code: 'address', message: 'is an address that would run something or open a file' })
  }
}

/** What keeps an object from being the data of a passport. */
export function judgeData(data: Record<string, unknown>, at = 'data'): Violation[] {
  const { violations } = judgeContent(data, at)
  const form = data['opt_in_form']
  const isAddress = typeof form === 'string' && form.length <= longestAddress && ipfsAddress.test(form)
  if (form === undefined || isAddress) return violations
  const wrong = typeof form === 'string' ? 'format' : 'type'
  return [...violations, { path: `${at}.opt_in_form`, code: wrong, message: 'must be the ipfs:// address of a form' }]
}

/** Paths that could never lead to a value of data. One that leads to none yet is no fault: it counts when the value comes. */
export function judgeDataPaths(paths: readonly string[]): Violation[] {
  return paths.flatMap((path, index) => path.split('.').every((name) => name !== '' && !unsafe.has(name))
    ? []
    : [{ path: `certifiedPaths[${index}]`, code: 'unknown_path', message: 'can lead to no value of the data' }])
}

/** What stands at certified paths and could never be certified. */
export const judgeCertifiedData = (data: Record<string, unknown>, paths: readonly string[], refused?: ReadonlySet<string>): Violation[] =>
  contentFaults({ product: {}, data: certifiedData(data, paths) }, refused)
