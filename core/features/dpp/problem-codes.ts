import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of product passports. */
export const passportProblemCodes = {
  DPP_MAGIC_TOKEN_INVALID: createCodeEntry(
    400,
    'Invalid magic token',
    'The token is forged, malformed, expired or already used.',
  ),
  DPP_TRANSFER_TOKEN_INVALID: createCodeEntry(
    400,
    'Invalid link',
    'The token of the link is wrong or expired, or the offer was accepted, declined or withdrawn.',
  ),
  MINT_BATCH_TOO_LARGE: createCodeEntry(400, 'Wrong batch size', 'A mint takes 1 to 10,000 rows in at most 16 MiB.'),
  DPP_CLAIM_NOT_ALLOWED: createCodeEntry(
    403,
    'Claim not allowed',
    'Neither your verified e-mail or phone nor a token allows this claim.',
  ),
  DPP_TRANSFER_NOT_ALLOWED: createCodeEntry(
    403,
    'Transfer not allowed',
    'Only the owner passes a passport on, and only the person whose e-mail or phone the offer names takes it.',
  ),
  DPP_PASSPORT_SOURCE_READ_ONLY: createCodeEntry(
    403,
    'Kept by a shop',
    'The shop that the passport comes from keeps it; change it there.',
  ),
  DPP_MINT_JOB_NOT_FOUND: createCodeEntry(404, 'No such mint job', 'This sheet has no mint job with that id.'),
  DPP_PASSPORT_DUPLICATE_REFERENCE: createCodeEntry(
    409,
    'Duplicate reference',
    'The application already has a passport with this reference or these numbers.',
  ),
  DPP_PASSPORT_ALREADY_MINTED: createCodeEntry(
    409,
    'Already minted',
    'A passport whose mint was signed cannot be deleted.',
  ),
  DPP_PASSPORT_NOT_PUBLISHED: createCodeEntry(
    409,
    'Not published',
    'Only a published or claimed passport can do this.',
  ),
  DPP_PASSPORT_NOT_CLAIMABLE: createCodeEntry(
    409,
    'Not claimable',
    'The passport is a draft, claimed, archived, revoked or suspended (or its batch or model is), or its sheet does not allow claims.',
  ),
  DPP_PASSPORT_NOT_TRANSFERABLE: createCodeEntry(
    409,
    'Not transferable',
    'The passport is not claimed, archived, revoked or suspended (or its batch or model is), offered to somebody already, or on a network where passports cannot be passed on.',
  ),
  DPP_TRANSFER_NOT_OPEN: createCodeEntry(
    409,
    'No open offer',
    'The passport is offered to nobody, or somebody has accepted it already.',
  ),
  DPP_PRODUCT_HAS_PASSPORTS: createCodeEntry(409, 'Sheet in use', 'A sheet that has passports cannot be deleted.'),
  DPP_PRODUCT_SCHEMA_IN_USE: createCodeEntry(
    409,
    'Definitions in use',
    'Passports of the sheet would not meet the new definitions; `passports` says how many.',
  ),
  DPP_PRODUCT_NOT_MINTABLE: createCodeEntry(
    409,
    'Sheet not mintable',
    'Only an ACTIVE or UNLISTED sheet can be minted.',
  ),
  DPP_PRODUCT_STATUS_FINAL: createCodeEntry(
    409,
    'Status is final',
    'A sheet with minted passports cannot become DRAFT again.',
  ),
  DPP_PRODUCT_NETWORK_FIXED: createCodeEntry(
    409,
    'Network is fixed',
    'A sheet with minted passports cannot change its network.',
  ),
  DPP_PASSPORT_IDENTITY_FIXED: createCodeEntry(
    409,
    'Identity is fixed',
    'Granularity and numbers of a published passport cannot change.',
  ),
  DPP_VC_NOTHING_TO_CERTIFY: createCodeEntry(
    422,
    'Nothing to certify',
    'certifiedPaths is empty, or the passport has a value at none of its paths.',
  ),
  DPP_VC_IPFS_UNAVAILABLE: createCodeEntry(
    503,
    'Credential out of reach',
    'No stored copy of the credential is left, and IPFS does not give it at present.',
  ),
  DPP_VC_SELF_HOSTED_UNAVAILABLE: createCodeEntry(
    503,
    'Certificate out of reach',
    'The self-hosted certificate is out of reach, gone, or not the one that was anchored.',
  ),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof passportProblemCodes, ProblemCodeEntry> {}
}
