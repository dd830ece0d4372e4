import type { NoticeWords, ResolverWords } from '../words.types.ts'

export const notices: NoticeWords = {
  unregistered: {
    serial: 'Questo numero di serie non è registrato presso il produttore',
    batch: 'Questo numero di lotto non è registrato presso il produttore',
    text: (numbers) =>
      `Il codice scansionato indica ${numbers}. Presso il produttore non risulta registrato: l’articolo potrebbe non essere autentico. `
      + 'Quanto segue descrive il prodotto in generale, non l’articolo che si ha in mano.',
    numbers: { serial: (number) => `il numero di serie ${number}`, batch: (number) => `il numero di lotto ${number}` },
    and: ' e ',
  },
  withdrawn: {
    own: {
      revocation: {
        head: 'Revocato dal produttore',
        text: 'Il produttore ha revocato questo passaporto, che quindi non può essere intestato.',
      },
      suspension: {
        head: 'Sospeso dal produttore',
        text: 'Il produttore ha sospeso questo passaporto, che quindi al momento non può essere intestato.',
      },
    },
    batch: {
      revocation: {
        head: 'Il lotto è revocato',
        text: 'Il produttore ha revocato il lotto di questo articolo. L’articolo non è affidabile.',
      },
      suspension: {
        head: 'Il lotto è sospeso',
        text: 'Il produttore ha sospeso il lotto di questo articolo. Fino al termine della sospensione l’articolo non è affidabile.',
      },
    },
    model: {
      revocation: {
        head: 'Il modello è revocato',
        text: 'Il produttore ha revocato il modello di questo prodotto. Il prodotto non è affidabile.',
      },
      suspension: {
        head: 'Il modello è sospeso',
        text: 'Il produttore ha sospeso il modello di questo prodotto. Fino al termine della sospensione il prodotto non è affidabile.',
      },
    },
  },
  archived: 'Questo passaporto è archiviato: non è più possibile intestarlo.',
  see: { batch: 'Vedi il lotto', model: 'Vedi il modello' },
  publisher: {
    byDomain: (domain) => `Pubblicato da ${domain}`,
    byGtin: (name, gtin) => `Pubblicato da ${name}, confermato per il codice prodotto ${gtin}`,
    byName: (name) => `Firmato da ${name}, non confermato`,
  },
  contested: {
    head: 'Di chi è questo prodotto?',
    text: (gtin) =>
      `Più organizzazioni pubblicano il codice prodotto ${gtin} e non è ancora deciso a chi appartenga. Prima di scegliere conviene guardare chi è confermato.`,
    nothing: 'Al momento non pubblica nulla con questo numero.',
  },
}

export const resolver: ResolverWords = {
  linksOf: (name) => `${name}: link`,
  product: 'Prodotto',
  which: 'Quale prodotto è?',
  choose: 'Più prodotti hanno questo numero. Scegliere quello che si ha in mano.',
  unknown: {
    head: 'Nessuna informazione su questo prodotto',
    text: 'Qui non è pubblicato nessun passaporto con questi numeri.',
  },
  wrong: 'Questo non è l’indirizzo di un prodotto',
  refusals: {
    gtin: 'Il GTIN non è corretto: ha 8, 12, 13 o 14 cifre, e l’ultima serve a controllare le altre.',
    variant: 'La variante (22) ha da 1 a 20 lettere, cifre o segni del set di caratteri GS1.',
    batch: 'Il numero di lotto (10) ha da 1 a 20 lettere, cifre o segni del set di caratteri GS1.',
    serial: 'Il numero di serie (21) ha da 1 a 20 lettere, cifre o segni del set di caratteri GS1.',
    linkType: 'Questo prodotto non ha link di questo tipo.',
    path: 'Dopo il GTIN vengono 22 (variante), 10 (lotto) e 21 (numero di serie), in quest’ordine.',
  },
}
