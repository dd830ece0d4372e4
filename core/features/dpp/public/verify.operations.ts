import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { boolean, list, nullable, object, oneOf, optional, record, string, Type } from '../../../kernel/schema.ts'
import { VerificationFetcher, parseSecuredCredential } from '../../certification/index.ts'
import { verifyCredential } from './verify.ts'

/** An example of a token that nobody has signed. Verifying it answers that it is not verified. */
const example =
  'eyJhbGciOiJFZERTQSIsInR5cCI6InZjK2p3dCJ9.eyJAY29udGV4dCI6WyJodHRwczovL3d3dy53My5vcmcvbnMvY3JlZGVudGlhbHMvdjIiXSw'
  + 'idHlwZSI6WyJWZXJpZmlhYmxlQ3JlZGVudGlhbCJdLCJpc3N1ZXIiOiJkaWQ6a2V5Ono2TWtoYVhnQlpEdm90RGtMNTI1N2ZhaXp0aUdpQzJRdEt'
  + 'MR3Bibm5FR3RhMmRvSyIsImNyZWRlbnRpYWxTdWJqZWN0Ijp7Im5hbWUiOiJCYWcifX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  + 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const CredentialToVerify = Type.Object(
  {
    credential: optional(
      Type.Union(
        [
          Type.String({ description: 'A compact JWS (vc+jwt).', minLength: 1, examples: [example] }),
          record('With its proof.'),
        ],
        { description: 'Either form.' },
      ),
    ),
  },
  {
    title: 'CredentialToVerify',
    additionalProperties: true,
    description: 'A credential with its proof, or `credential`.',
  },
)

const checkNames = ['proof', 'issuer', 'key', 'status', 'validity', 'anchor', 'schema'] as const

const CredentialCheck = object(
  {
    check: oneOf(
      checkNames,
      'What was looked at. schema is told only: a credential can be true and no complete UNTP passport.',
    ),
    ok: nullable(boolean('Whether it holds; null where it cannot be judged now, or here.')),
    detail: string('What was found, in a sentence for people.'),
  },
  { title: 'CredentialCheck', description: 'One check of a verification.' },
)

const CredentialVerification = object(
  {
    verified: nullable(
      boolean(
        'true where every check holds but schema, false where one does not, null where none fails and one cannot '
          + 'be judged.',
      ),
    ),
    verdict: oneOf(['verified', 'failed', 'unknown'], 'The same in a word.'),
    superseded: boolean(
      'Whether it is an earlier version of a credential whose newer one is served here; that does not count in verified.',
    ),
    newer: nullable(string('Address of the newer version; null where there is none.')),
    checks: list(CredentialCheck, 'All seven, in the order of their names.'),
  },
  { title: 'CredentialVerification', description: 'What verifying a credential came to.' },
)

/**
 * The limits of requests to other hosts in one verification: all answers have to arrive within the time limit of its
 * thread.
 */
const strangerLimits = { maxRequests: 8, timeoutMs: 1_800, expansionMs: 2_000 }

const verifyOne = declareOperation({
  id: 'verify_dpp_credential_v1',
  method: 'POST',
  path: '/v1/dpp/credentials/verify',
  access: { rule: 'public', isOpenToAllOrigins: true },
  body: CredentialToVerify,
  returns: { 200: CredentialVerification },
  execution: { runsInThread: true },
  document: {
    tag: 'Credentials',
    summary: 'Verify a credential',
    description:
      'W3C Data Model 2.0 or 1.1 with embedded proofs (eddsa-jcs-2022, eddsa-rdfc-2022), or 2.0 as a compact JWS '
      + '(Ed25519, ES256), of a did:key or did:web. 200 also for `unknown`; malformed ones are refused. Checks digests of '
      + 'relatedResource, not credentialSchema. Fetches at most eight documents in two seconds.',
    mcpName: 'verify_dpp_credential',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(async ({ body, context }) => {
  const { credential } = body as { credential?: unknown }
  const secured =
    credential === undefined ? parseSecuredCredential(body, 'body') : parseSecuredCredential(credential, 'credential')
  return verifyCredential(new VerificationFetcher(context, strangerLimits), secured)
})

export const verifyOperations: Operation[] = [verifyOne]
