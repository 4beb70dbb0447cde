//! Currencies of ISO 4217, list one of 2026, without metals, funds and test codes.

crate::kernel::text_enum! {
    no FromStr;
    /// Currencies an amount may be in; those that the office offers at first stand first. Default: US dollars.
    // Decision 13.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Currency {
        #[default]
        Usd = "USD",
        Eur = "EUR",
        Gbp = "GBP",
        Aed = "AED",
        Jpy = "JPY",
        Sgd = "SGD",
        Thb = "THB",
        Afn = "AFN",
        All = "ALL",
        Amd = "AMD",
        Aoa = "AOA",
        Ars = "ARS",
        Aud = "AUD",
        Awg = "AWG",
        Azn = "AZN",
        Bam = "BAM",
        Bbd = "BBD",
        Bdt = "BDT",
        Bhd = "BHD",
        Bif = "BIF",
        Bmd = "BMD",
        Bnd = "BND",
        Bob = "BOB",
        Brl = "BRL",
        Bsd = "BSD",
        Btn = "BTN",
        Bwp = "BWP",
        Byn = "BYN",
        Bzd = "BZD",
        Cad = "CAD",
        Cdf = "CDF",
        Chf = "CHF",
        Clp = "CLP",
        Cny = "CNY",
        Cop = "COP",
        Crc = "CRC",
        Cup = "CUP",
        Cve = "CVE",
        Czk = "CZK",
        Djf = "DJF",
        Dkk = "DKK",
        Dop = "DOP",
        Dzd = "DZD",
        Egp = "EGP",
        Ern = "ERN",
        Etb = "ETB",
        Fjd = "FJD",
        Fkp = "FKP",
        Gel = "GEL",
        Ghs = "GHS",
        Gip = "GIP",
        Gmd = "GMD",
        Gnf = "GNF",
        Gtq = "GTQ",
        Gyd = "GYD",
        Hkd = "HKD",
        Hnl = "HNL",
        Htg = "HTG",
        Huf = "HUF",
        Idr = "IDR",
        Ils = "ILS",
        Inr = "INR",
        Iqd = "IQD",
        Irr = "IRR",
        Isk = "ISK",
        Jmd = "JMD",
        Jod = "JOD",
        Kes = "KES",
        Kgs = "KGS",
        Khr = "KHR",
        Kmf = "KMF",
        Kpw = "KPW",
        Krw = "KRW",
        Kwd = "KWD",
        Kyd = "KYD",
        Kzt = "KZT",
        Lak = "LAK",
        Lbp = "LBP",
        Lkr = "LKR",
        Lrd = "LRD",
        Lsl = "LSL",
        Lyd = "LYD",
        Mad = "MAD",
        Mdl = "MDL",
        Mga = "MGA",
        Mkd = "MKD",
        Mmk = "MMK",
        Mnt = "MNT",
        Mop = "MOP",
        Mru = "MRU",
        Mur = "MUR",
        Mvr = "MVR",
        Mwk = "MWK",
        Mxn = "MXN",
        Myr = "MYR",
        Mzn = "MZN",
        Nad = "NAD",
        Ngn = "NGN",
        Nio = "NIO",
        Nok = "NOK",
        Npr = "NPR",
        Nzd = "NZD",
        Omr = "OMR",
        Pab = "PAB",
        Pen = "PEN",
        Pgk = "PGK",
        Php = "PHP",
        Pkr = "PKR",
        Pln = "PLN",
        Pyg = "PYG",
        Qar = "QAR",
        Ron = "RON",
        Rsd = "RSD",
        Rub = "RUB",
        Rwf = "RWF",
        Sar = "SAR",
        Sbd = "SBD",
        Scr = "SCR",
        Sdg = "SDG",
        Sek = "SEK",
        Shp = "SHP",
        Sle = "SLE",
        Sos = "SOS",
        Srd = "SRD",
        Ssp = "SSP",
        Stn = "STN",
        Svc = "SVC",
        Syp = "SYP",
        Szl = "SZL",
        Tjs = "TJS",
        Tmt = "TMT",
        Tnd = "TND",
        Top = "TOP",
        Try = "TRY",
        Ttd = "TTD",
        Twd = "TWD",
        Tzs = "TZS",
        Uah = "UAH",
        Ugx = "UGX",
        Uyu = "UYU",
        Uzs = "UZS",
        Ves = "VES",
        Vnd = "VND",
        Vuv = "VUV",
        Wst = "WST",
        Xaf = "XAF",
        Xcd = "XCD",
        Xcg = "XCG",
        Xof = "XOF",
        Xpf = "XPF",
        Yer = "YER",
        Zar = "ZAR",
        Zmw = "ZMW",
        Zwg = "ZWG",
    }
}

impl Currency {
    /// The currencies that an office offers until it chooses its own.
    pub const USUAL: [Self; 7] = [Self::Usd, Self::Eur, Self::Gbp, Self::Aed, Self::Jpy, Self::Sgd, Self::Thb];

    pub fn code(self) -> &'static str {
        self.name()
    }

    /// Digits after the decimal point: the minor unit of ISO 4217.
    pub fn digits(self) -> u32 {
        match self {
            Self::Bif
            | Self::Clp
            | Self::Djf
            | Self::Gnf
            | Self::Isk
            | Self::Jpy
            | Self::Kmf
            | Self::Krw
            | Self::Pyg
            | Self::Rwf
            | Self::Ugx
            | Self::Vnd
            | Self::Vuv
            | Self::Xaf
            | Self::Xof
            | Self::Xpf => 0,
            Self::Bhd | Self::Iqd | Self::Jod | Self::Kwd | Self::Lyd | Self::Omr | Self::Tnd => 3,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minor_units_are_those_of_iso_4217() {
        let of = |digits: u32| {
            let mut codes: Vec<_> =
                Currency::ALL.into_iter().filter(|one| one.digits() == digits).map(Currency::code).collect();
            codes.sort_unstable();
            codes.join(" ")
        };
        assert_eq!(of(0), "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF");
        assert_eq!(of(3), "BHD IQD JOD KWD LYD OMR TND");
        let mut codes = Currency::ALL.map(Currency::code).to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), 154);
        assert!(codes.iter().all(|code| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase())));
        assert_eq!(Currency::ALL[..7], Currency::USUAL);
    }
}
