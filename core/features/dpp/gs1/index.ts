export { assignGtin } from './decisions.ts'
export {
  collectLinkTypes,
  createLinkContext,
  createLinkSet,
  createResolverDescription,
  findLink,
  type Link,
  type LinkContext,
  linkSetContext,
  parseLinkType,
} from './gs1.links.ts'
export {
  findPublished,
  findResolvedParents,
  type PublishedPassports,
  resolveDigitalLink,
  type ResolvedPassport,
} from './gs1.resolve.ts'
export { gtinOperations } from './gtins.operations.ts'
export { findGtinsOfOthers } from './owners.ts'
export { type Publisher, readPublisher } from './publishers.ts'
export {
  addSearch,
  formatScannedSearch,
  hasNoNumbers,
  parseScannedNumbers,
  type ScannedNumbers,
  scannedQuery,
} from './scanned-numbers.ts'
