type Channel = 'apple-wallet' | 'google-wallet'

/** The texts of cards in the wallets of phones, and of what leads to them. */
export interface WalletWords {
  head: string
  text: string
  add: Readonly<Record<Channel, string>>
  /** The names of the wallets. */
  wallets: Readonly<Record<Channel, string>>
  /** Whether a phone has the card. */
  held: string
  notHeld: string
  /** Whether messages of the shop come to it, and the buttons that change that. */
  messagesOn: string
  messagesOff: string
  optOut: string
  optIn: string
  /** What an owner can do on the page of a passport. */
  action: string
  /** The way back from a page that says why there is no card. */
  back: string
  failure: { head: string; notConfigured: string; unavailable: string }
}
