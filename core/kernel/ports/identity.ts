import type { Knex } from 'knex'
import type { Caller } from '../caller.ts'
import type { ProblemError } from '../problem.ts'
import type { ConsoleLanguage } from '../text/languages.ts'
import type { Work } from '../work.ts'
import type { Mail } from './messenger.ts'
import type { TrailAct } from './trail.ts'

/** What a mail says. */
export type MailContent = Pick<Mail, 'subject' | 'parts'>

/** A mail to the owners of an organization: its content in English, or what writes it in the organization's language. */
export type OwnersMail = MailContent | ((organization: { name: string; language: ConsoleLanguage }) => MailContent)

/**
 * The result of the authentication of a request. `problem` is thrown only after the request was counted for rate
 * limits.
 */
export interface AuthenticationResult {
  caller: Caller
  /** The session token of the request, if any. */
  credential: string | null
  /** Whether the credential came in a cookie; if so, the Origin has to be checked. */
  cameInCookie: boolean
  problem?: ProblemError
}

/** Authentication and sessions of people and programs. */
export interface Identity {
  /**
   * Finds out who sent a request, from its headers alone.
   * @param preferredKind which session counts when a browser has cookies of both kinds
   * @param getAddress network address that the request came from, kept as the last use of a key
   */
  authenticate(
    headers: Record<string, string | string[] | undefined>,
    preferredKind?: 'member' | 'endUser',
    getAddress?: () => string,
  ): Promise<AuthenticationResult>
  /**
   * Calls the listener as soon as a credential has ended or its permissions have changed, in any process. The argument
   * `isConcerned` tells whether a given caller may have used that credential. @returns a function that ends the
   * subscription
   */
  onCredentialEnded(listener: (isConcerned: (caller: Caller) => boolean) => void): () => void
  /** Writes an e-mail to the owners of an organization, in the caller's transaction. */
  mailOwners(trx: Knex, organization: string, mail: OwnersMail): Promise<void>
  /**
   * Records an act of the caller, a member or a key, in the audit trail of an organization, in the transaction of the act
   * and as its last statement: until the commit, every other act of the organization waits.
   */
  recordAct(work: Omit<Work, 'context' | 'afterCommit'>, organization: string, act: TrailAct): Promise<void>
}
