/** What each area of the document is for, in the words of its first paragraph. A new tag is described here. */
const descriptions: Readonly<Record<string, string>> = {
  'Sign-in': 'One-time codes by e-mail or phone, and the sessions of members and buyers that they open.',
  Applications: 'The brands or shops of an organization: their names, themes, settings and proven domains.',
  'Product sheets':
    'What all passports of one product share: fields with their types, the network they are minted on, counts.',
  Minting: 'Makes passports of a sheet, many at once, as tokens on its network.',
  Passports: 'Product passports from draft to archive: their data, readiness, QR codes, owners and one-time links.',
  Credentials: 'Verifiable credentials of passports: built, read, verified, suspended, revoked.',
  Certification: 'Signs credentials of many passports, and anchors them on a network.',
  'Certification keys': 'The keys that sign, their rotation and revocation, and the domain of a did:web.',
  Claims: 'How a buyer becomes the owner of a passport.',
  Events: 'What happened to passports, the newest first.',
  Imports: 'Files of passports, their progress and their reports.',
  'Import mappers': 'How columns of a file become fields of passports, by hand or at set times from an address.',
  Jobs: 'Work that goes on after its request was answered, read once or followed as a stream.',
}

/** Tags in the order of their first use, as the document lists them. */
export function describeTags(names: Iterable<string>): { name: string; description?: string }[] {
  return [...new Set(names)].map((name) => {
    const description = descriptions[name]
    return { name, ...(description === undefined ? {} : { description }) }
  })
}
