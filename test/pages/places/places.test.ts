import { expect } from 'chai'
import { createScenery } from '../../access/tenants.ts'
import { createEmail, signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { crawlConsole, type CrawledConsole } from './crawl.ts'
import { pagesAfterForms, placeExceptions } from './exceptions.ts'
import { consolePages, findPlaces, memberOperations, type OperationPlace } from './places.ts'

/**
 * Which operation has its place on which page is read from the code: both call the same function, or a page that was
 * opened leads to the operation's own address. What the console offers is seen by opening it as an owner, before and
 * after they chose an organization, as somebody of no organization, and as nobody.
 */
describe('Console: a place for every operation that a member can call', function () {
  this.timeout(240_000)
  let crawled: CrawledConsole
  let places: OperationPlace[]
  before(async () => {
    const { shop } = await createScenery()
    const undecided = await signInMember(shop.owner)
    const owner = await signInMember(shop.owner, shop.organization)
    const newcomer = await signInMember(createEmail('newcomer'))
    const visits = [
      await crawlConsole(createApiClient({ cookie: owner })),
      await crawlConsole(createApiClient({ cookie: undecided })),
      await crawlConsole(createApiClient({ cookie: newcomer })),
      await crawlConsole(createApiClient()),
    ]
    crawled = {
      pages: new Set(visits.flatMap(({ pages }) => [...pages])),
      operations: new Set(visits.flatMap((visit) => [...visit.operations])),
      faults: visits.flatMap(({ faults }) => faults),
    }
    places = findPlaces()
  })

  const isReached = (page: string) => crawled.pages.has(page) || page in pagesAfterForms
  const hasPlace = ({ operation, pages }: OperationPlace) => pages.some(isReached) || crawled.operations.has(operation)

  it('is in a console whose links and forms all lead somewhere', () => expect(crawled.faults).to.deep.equal([]))

  it('has a page that calls it or leads to it, or a reason why there is none', () => {
    const missing = places.filter((place) => !hasPlace(place) && !(place.operation in placeExceptions))
    expect(missing.map(({ operation }) => operation)).to.deep.equal([])
    const excepted = places.filter(({ operation }) => operation in placeExceptions).length
    console.log(
      `    ${places.length} operations: ${places.filter(hasPlace).length} have a place on ${consolePages.length} pages, ${excepted} stand in the list of exceptions`,
    )
  })

  it('stands in the list of exceptions only while it has no place', () => {
    const known = new Set(memberOperations.map(({ id }) => id))
    expect(Object.keys(placeExceptions).filter((operation) => !known.has(operation))).to.deep.equal([])
    const needless = places.filter((place) => place.operation in placeExceptions && hasPlace(place))
    expect(needless.map(({ operation, pages }) => `${operation}: ${pages.join(', ')}`)).to.deep.equal([])
  })

  it('is shown by another function on a page that is there', () => {
    const gone = Object.entries(placeExceptions).filter(([, { page }]) => page !== undefined && !isReached(page))
    expect(gone.map(([operation, { page }]) => `${operation}: ${page}`)).to.deep.equal([])
  })

  it('is on pages that can all be reached from the first one', () => {
    const unreached = consolePages.filter(({ id }) => !isReached(id))
    expect(unreached.map(({ id, method, path }) => `${id}: ${method} ${path}`)).to.deep.equal([])
    const ids = new Set(consolePages.map(({ id }) => id))
    expect(Object.keys(pagesAfterForms).filter((id) => !ids.has(id) || crawled.pages.has(id))).to.deep.equal([])
  })
})
