/** The kinds of documents and texts that readers look for. */
export const purposes = ['care', 'repair', 'recycling', 'proofs', 'other'] as const
export type Purpose = (typeof purposes)[number]

/** The texts of what a page tells about a product. A text that a language lacks is a type error. */
export interface ProductWords {
  /** The names of all members that UNTP has anywhere in a product. */
  members: Readonly<Record<string, string>>
  headings: {
    materials: string
    performance: string
    dimensions: string
    origin: string
    people: string
    packaging: string
    labels: string
    about: string
    more: string
  }
  purposes: Record<Purpose, string>
  /** The roles of parties, in UNTP's names. */
  roles: Readonly<Record<string, string>>
  granularities: Readonly<Record<string, string>>
  /** Units of UN/ECE Recommendation 20 that are words. */
  units: Readonly<Record<string, string>>
  /** The heading of what is not shown at once. */
  details: string
  /** What a picture of shares says to those who do not see it. @param shares as "Cotton 80 %" */
  shares: (shares: string) => string
  recycled: (share: string) => string
  from: (country: string) => string
  hazardous: string
  notHazardous: string
  /** The gallery, for those who do not see it. */
  pictures: string
  picture: (number: number, of: number) => string
  /** Who signed a passport, on which day. A name alone proves nothing, and the text says so. */
  signedByDomain: (domain: string, day: string) => string
  signedByName: (name: string, day: string) => string
  /** What stands on chain, in the words of experts. */
  experts: string
  /** The state of a passport of the reader. */
  yours: string
  seeYours: string
}
