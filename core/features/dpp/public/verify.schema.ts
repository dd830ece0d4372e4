import { currentUntpVersion, VerificationError } from '../../certification/index.ts'
import { createJsonValidator, isUri } from '../../../kernel/json/schema-validators.ts'
import { isObject } from '../fields/index.ts'
import { readUntpSchema } from '../content/index.ts'

const validateCredential = createJsonValidator(readUntpSchema, {}, isUri)

/** The maximum number of issues that the message names. */
const maxNamedIssues = 3

/**
 * Checks a credential against UNTP's schema of a Digital Product Passport. A credential can be true without being a
 * complete passport, so this check is reported but does not count. W3C writes the status as a list with indices as
 * text; it is accepted in place of UNTP's one entry with a number.
 * Source: UNTP 0.7.0, Digital Product Passport.
 * @returns the sentence for people if the credential fits
 * @throws VerificationError if it does not fit
 */
export function checkSchema(credential: Record<string, unknown>): string {
  const issues = validateCredential(normalizeStatus(credential), 'credential', () => JSON.stringify(credential).length)
  if (issues.length === 0) return `It is a complete Digital Product Passport of UNTP ${currentUntpVersion}`
  const named = issues
    .slice(0, maxNamedIssues)
    .map(({ path, message }) => `${path} ${message}`)
    .join('; ')
  const more = issues.length > maxNamedIssues ? '; and more' : ''
  throw new VerificationError(
    `It is no complete Digital Product Passport of UNTP ${currentUntpVersion}: ${named}${more}`,
  )
}

function normalizeStatus(credential: Record<string, unknown>): object {
  const { credentialStatus } = credential
  const [first] = Array.isArray(credentialStatus) ? credentialStatus : [credentialStatus]
  if (!isObject(first)) return credential
  const { statusListIndex: index } = first
  return {
    ...credential,
    credentialStatus: {
      ...first,
      ...(typeof index === 'string' && /^\d{1,9}$/.test(index) && { statusListIndex: Number(index) }),
    },
  }
}
