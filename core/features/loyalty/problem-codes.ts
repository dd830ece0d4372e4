import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of accounts and points. */
export const loyaltyProblemCodes = {
  ACCOUNT_REWARD_TIER_NOT_FOUND: createCodeEntry(
    422,
    'Reward tier not found',
    'The application has no such reward tier.',
  ),
  CAMPAIGN_CONTENT_MISSING: createCodeEntry(400, 'No text', 'The campaign has no `content` yet.'),
  CAMPAIGN_INVALID_SEND_AT: createCodeEntry(
    400,
    'Invalid time',
    '`sendAt` is no time with its offset (RFC 3339), or more than a year ahead.',
  ),
  CAMPAIGN_NOT_DRAFT: createCodeEntry(409, 'Not a draft', 'Only a draft can be changed, deleted, sent or scheduled.'),
  CAMPAIGN_NOT_SCHEDULED: createCodeEntry(409, 'Not scheduled', 'Only a scheduled campaign can be cancelled.'),
  CAMPAIGN_NOT_STRANDED: createCodeEntry(
    409,
    'Not stranded',
    'The campaign is not being sent, or its job still works on it.',
  ),
  LOYALTY_ACCOUNT_NOT_FOUND: createCodeEntry(
    404,
    'Account not found',
    'There is no such account, or you cannot see it.',
  ),
  LOYALTY_FIRST_ASSIGNMENT_EXISTING: createCodeEntry(
    409,
    'Assignment exists',
    'The person has a pending assignment on this network already, which `existing` names; `upsert` adds to it. `existingIds`: the e-mail has one, and the phone number another.',
  ),
  LOYALTY_INSUFFICIENT_BALANCE: createCodeEntry(
    409,
    'Not enough points',
    'The account has fewer points than were to be burned; `available` says how many.',
  ),
  LOYALTY_REFERENCE_REUSED: createCodeEntry(
    409,
    'Reference used before',
    'The account has this reference with another amount or kind.',
  ),
  LOYALTY_REWARD_TIER_DUPLICATE_VISITS: createCodeEntry(
    409,
    'Visits taken',
    'Another tier of the application needs as many visits.',
  ),
  LOYALTY_REWARD_TIER_IN_USE: createCodeEntry(409, 'Reward tier in use', 'An account has the reward tier fixed.'),
  POINT_OF_SALE_IN_USE: createCodeEntry(
    409,
    'Point of sale in use',
    'A restaurant is bound to this point of sale; unbind it in the POS settings first.',
  ),
  WALLET_NOT_CONFIGURED: createCodeEntry(
    409,
    'Wallet not configured',
    'The application has no credentials for this wallet, or they have expired.',
  ),
  WALLET_PASS_UNAUTHORIZED: createCodeEntry(
    401,
    'Not the pass of this token',
    'The phone has to send the token of the pass that it asks for.',
  ),
  WEBHOOK_INVALID_SIGNATURE: createCodeEntry(
    401,
    'Invalid signature',
    'The signature is not that of this body, or the sender is not known.',
  ),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof loyaltyProblemCodes, ProblemCodeEntry> {}
}
