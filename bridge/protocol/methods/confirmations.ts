import { randomBytes } from 'node:crypto'
import type { ToolArguments } from '../../../tools/arguments/request-factory.ts'
import { confirmMinutes } from '../../../tools/own/confirmation.ts'
import type { Preview } from '../../../tools/own/preview.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { digestArguments, digestJson, digestText } from '../../shared/digest.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { SharedState } from '../../shared/shared-state.ts'

/** The call that a preview was made for. */
export interface ConfirmedCall {
  readonly callerHash: string
  readonly tool: string
  /** The arguments of the operation, without those of the bridge. */
  readonly args: ToolArguments
  /** True if the caller wants the same call to be carried out once more. */
  readonly isRepeated: boolean
}

const confirmSeconds = confirmMinutes * 60
/** How long the API remembers what was confirmed, in seconds: longer than any confirmation counts. */
const keyWindowSeconds = 2 * confirmSeconds
/** The length of a digest in a seal, in characters of base64url. */
const digestLength = 16

/**
 * The confirmations of clients that cannot ask: texts that name a preview and open only for the same caller, tool and
 * arguments. Nothing is kept here in between.
 */
export class Confirmations {
  readonly #sealer: Sealer
  readonly #shared: SharedState

  constructor(sealer: Sealer, shared: SharedState) {
    this.#sealer = sealer
    this.#shared = shared
  }

  /** Seals the digest of a preview. Each seal is another one, so that each counts once. */
  seal(digest: string, call: ConfirmedCall): string {
    const payload = digest + randomBytes(6).toString('base64url')
    return this.#sealer.seal('confirm', payload, confirmSeconds, createBinding(call))
  }

  /** Returns the digest of the preview that a text confirms; null if the text is not one of this call or too old. */
  open(text: string, call: ConfirmedCall): string | null {
    const payload = this.#sealer.open('confirm', text, createBinding(call))
    return typeof payload === 'string' ? payload.slice(0, digestLength) : null
  }

  /** Claims a confirmation. Returns false if any process that shares this state has seen it before. */
  claimOnce(text: string): Promise<boolean> {
    return this.#shared.claimOnce(`confirm:${digestText(text)}`, confirmSeconds)
  }
}

/** Returns the digest of a preview. Previews are equal only if nothing in them differs. */
export const createPreviewDigest = (preview: Preview) => digestJson(preview).slice(0, digestLength)

/**
 * Adds the key under which the API does what was confirmed only once, whichever process of the bridge sends it.
 * @param confirmation a text that belongs to one confirmation only
 */
export const withConfirmationKey = (request: ApiRequest, confirmation: string): ApiRequest => ({
  ...request,
  idempotency: {
    key: `confirmed-${digestText(confirmation)}`,
    window: String(keyWindowSeconds),
    chosenBy: 'confirmation',
  },
})

const createBinding = ({ callerHash, tool, args, isRepeated }: ConfirmedCall) =>
  JSON.stringify([callerHash, tool, digestArguments(args), isRepeated])
