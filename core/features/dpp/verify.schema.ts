import { presentUntp, Doubt } from '../certification/index.ts'
import { isObject } from './fields.judges.ts'
import { isUri, jsonJudge } from './json.judges.ts'
import { untpSchema } from './untp.ts'

const judge = jsonJudge(untpSchema, {}, isUri)

/** Faults that the sentence names. */
const mostNamed = 3

/**
 * Holds a credential against UNTP's schema of a Digital Product Passport. A credential can be true and no complete
 * passport, so that this is told and does not count. The status as W3C spells it, a list with indices as text, is taken
 * for UNTP's one entry with a number. @throws Doubt. Source: UNTP 0.7.0, Digital Product Passport
 */
export function schemaOf(credential: Record<string, unknown>): string {
  const faults = judge(respelled(credential), 'credential', () => JSON.stringify(credential).length)
  if (faults.length === 0) return `It is a complete Digital Product Passport of UNTP ${presentUntp}`
  const named = faults.slice(0, mostNamed).map(({ path, message }) => `${path} ${message}`).join('; ')
  const more = faults.length > mostNamed ? '; and more' : ''
  throw new Doubt(`It is no complete Digital Product Passport of UNTP ${presentUntp}: ${named}${more}`)
}

function respelled(credential: Record<string, unknown>): object {
  const { credentialStatus } = credential
  const [first] = Array.isArray(credentialStatus) ? credentialStatus : [credentialStatus]
  if (!isObject(first)) return credential
  const { statusListIndex: index } = first
  return { ...credential, credentialStatus: { ...first, ...(typeof index === 'string' && /^\d{1,9}$/.test(index) && { statusListIndex: Number(index) }) } }
}
