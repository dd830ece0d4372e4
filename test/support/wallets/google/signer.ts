import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

/** What is wrong with a callback on demand. */
export interface CallbackOptions {
  /** Who it is for; the issuer by default. */
  recipient?: string
  sender?: string
  /** Whether the message is changed after it was signed, or who signs is nobody whom the root keys know. */
  flaw?: 'changedMessage' | 'unknownRoot' | 'unknownKey' | 'swappedKey'
  /** Until when the intermediate key is good. */
  keyExpiresAt?: Date
}

const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const toText = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64')

const withLengths = (...texts: string[]): Buffer =>
  Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(Buffer.byteLength(text))
      return [length, Buffer.from(text)]
    }),
  )

const protocolVersion = 'ECv2SigningOnly'
const day = 86_400_000

/** Signs callbacks as Google does. Source: Google Wallet, "Save and delete notifications"; ECv2SigningOnly. */
export interface CallbackSigner {
  /** What the keys' address answers. */
  keys: { keyValue: string; protocolVersion: string; keyExpiration: string }[]
  /** Replaces the root keys, as Google does at times. @param expiresAt until when the new ones are good */
  rotate(expiresAt?: Date): void
  /** Makes the body of a callback. */
  sign(message: object, issuerId: string, options?: CallbackOptions): string
}

export function createCallbackSigner(): CallbackSigner {
  let root = createKeys()
  const signer: CallbackSigner = {
    keys: [],
    rotate(expiresAt = new Date(Date.now() + 30 * day)) {
      root = createKeys()
      const keyExpiration = String(expiresAt.getTime())
      signer.keys = [
        // A key of another protocol signs nothing here.
        { keyValue: toText(createKeys().publicKey), protocolVersion: 'ECv1', keyExpiration },
        { keyValue: toText(root.publicKey), protocolVersion, keyExpiration },
      ]
    },
    sign(message, issuerId, options = {}) {
      const {
        sender = 'GooglePayPasses',
        recipient = issuerId,
        flaw,
        keyExpiresAt = new Date(Date.now() + day),
      } = options
      const intermediate = createKeys()
      const signedKey = JSON.stringify({
        keyValue: toText(intermediate.publicKey),
        keyExpiration: String(keyExpiresAt.getTime()),
      })
      const signingRoot = flaw === 'unknownRoot' ? createKeys() : root
      const signedMessage = JSON.stringify(message)
      const messageKey = flaw === 'unknownKey' ? createKeys() : intermediate
      const keySignature = sign('sha256', withLengths(sender, protocolVersion, signedKey), signingRoot.privateKey)
      const signature = sign(
        'sha256',
        withLengths(sender, recipient, protocolVersion, signedMessage),
        messageKey.privateKey,
      )
      return JSON.stringify({
        signature: signature.toString('base64'),
        intermediateSigningKey: {
          signedKey: flaw === 'swappedKey' ? signedKey.replace(/"keyExpiration":"\d/, '"keyExpiration":"9') : signedKey,
          signatures: [keySignature.toString('base64')],
        },
        protocolVersion,
        signedMessage: flaw === 'changedMessage' ? signedMessage.replace(/"del"|"save"/, '"save" ') : signedMessage,
      })
    },
  }
  signer.rotate()
  return signer
}
