import type { NoticeWords, ResolverWords } from '../words.types.ts'

export const notices: NoticeWords = {
  unregistered: {
    serial: 'Diese Seriennummer ist beim Hersteller nicht registriert',
    batch: 'Diese Chargennummer ist beim Hersteller nicht registriert',
    text: (numbers) =>
      `Der gescannte Code nennt ${numbers}. Beim Hersteller ist das nicht registriert: Der Artikel ist möglicherweise nicht echt. `
      + 'Was folgt, beschreibt das Produkt im Allgemeinen, nicht den Artikel in Ihrer Hand.',
    numbers: { serial: (number) => `die Seriennummer ${number}`, batch: (number) => `die Chargennummer ${number}` },
    and: ' und ',
  },
  withdrawn: {
    own: {
      revocation: {
        head: 'Vom Hersteller widerrufen',
        text: 'Der Hersteller hat diesen Produktpass widerrufen. Er lässt sich deshalb nicht übernehmen.',
      },
      suspension: {
        head: 'Vom Hersteller ausgesetzt',
        text: 'Der Hersteller hat diesen Produktpass ausgesetzt. Er lässt sich deshalb zurzeit nicht übernehmen.',
      },
    },
    batch: {
      revocation: {
        head: 'Die Charge ist widerrufen',
        text: 'Der Hersteller hat die Charge widerrufen, aus der dieser Artikel stammt. Verlassen Sie sich nicht auf den Artikel.',
      },
      suspension: {
        head: 'Die Charge ist ausgesetzt',
        text: 'Der Hersteller hat die Charge ausgesetzt, aus der dieser Artikel stammt. Verlassen Sie sich bis auf Weiteres nicht auf den Artikel.',
      },
    },
    model: {
      revocation: {
        head: 'Das Modell ist widerrufen',
        text: 'Der Hersteller hat das Modell dieses Produkts widerrufen. Verlassen Sie sich nicht darauf.',
      },
      suspension: {
        head: 'Das Modell ist ausgesetzt',
        text: 'Der Hersteller hat das Modell dieses Produkts ausgesetzt. Verlassen Sie sich bis auf Weiteres nicht darauf.',
      },
    },
  },
  archived: 'Dieser Produktpass ist archiviert: Er lässt sich nicht mehr übernehmen.',
  see: { batch: 'Zur Charge', model: 'Zum Modell' },
  publisher: {
    byDomain: (domain) => `Veröffentlicht von ${domain}`,
    byGtin: (name, gtin) => `Veröffentlicht von ${name}, bestätigt für die Artikelnummer ${gtin}`,
    byName: (name) => `Signiert von ${name}, nicht bestätigt`,
  },
  contested: {
    head: 'Wessen Produkt ist das?',
    text: (gtin) =>
      `Mehrere Organisationen veröffentlichen die Artikelnummer ${gtin}, und noch ist nicht entschieden, wem sie gehört. Achten Sie darauf, wer bestätigt ist, bevor Sie wählen.`,
    nothing: 'Veröffentlicht unter dieser Nummer zurzeit nichts.',
  },
}

export const resolver: ResolverWords = {
  linksOf: (name) => `${name}: Links`,
  product: 'Produkt',
  which: 'Welches Produkt ist es?',
  choose: 'Mehrere Produkte haben diese Nummer. Wählen Sie das, das Sie in der Hand halten.',
  unknown: {
    head: 'Zu diesem Produkt ist nichts bekannt',
    text: 'Hier ist kein Produktpass mit diesen Nummern veröffentlicht.',
  },
  wrong: 'Das ist keine Produktadresse',
  refusals: {
    gtin: 'Die GTIN stimmt nicht: Sie hat 8, 12, 13 oder 14 Ziffern, und die letzte ist die Prüfziffer.',
    variant: 'Die Variante (22) hat 1 bis 20 Buchstaben, Ziffern oder Zeichen des GS1-Zeichensatzes.',
    batch: 'Die Chargennummer (10) hat 1 bis 20 Buchstaben, Ziffern oder Zeichen des GS1-Zeichensatzes.',
    serial: 'Die Seriennummer (21) hat 1 bis 20 Buchstaben, Ziffern oder Zeichen des GS1-Zeichensatzes.',
    linkType: 'Dieses Produkt hat keinen Link dieser Art.',
    path: 'Nach der GTIN folgen 22 (Variante), 10 (Charge) und 21 (Seriennummer), in dieser Reihenfolge.',
  },
}
