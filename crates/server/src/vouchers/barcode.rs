//! Barcodes of vouchers, Interleaved 2 of 5 as ticket printers and readers use it: pairs of digits, the first in the bars and the
//! second in the spaces between them.

use std::fmt::Write as _;

/// In modules: a wide element is three narrow ones, and the quiet zone is ten on either side.
const WIDE: u32 = 3;
const QUIET_ZONE: u32 = 10;

/// The heights of the bars and of the digits below, in modules.
const BARS: u32 = 45;
const DIGITS: u32 = 12;

/// Which of the five elements of a digit are wide: ISO/IEC 16390, table 1.
const ELEMENTS: [[bool; 5]; 10] = {
    const N: bool = false;
    const W: bool = true;
    [
        [N, N, W, W, N],
        [W, N, N, N, W],
        [N, W, N, N, W],
        [W, W, N, N, N],
        [N, N, W, N, W],
        [W, N, W, N, N],
        [N, W, W, N, N],
        [N, N, N, W, W],
        [W, N, N, W, N],
        [N, W, N, W, N],
    ]
};

/// The widths of bars and spaces in turn, a bar first, for an even number of digits.
fn elements(digits: &[u8]) -> Vec<u32> {
    let width = |is_wide: bool| if is_wide { WIDE } else { 1 };
    let mut widths = vec![1; 4];
    for pair in digits.chunks_exact(2) {
        let (bars, spaces) = (ELEMENTS[usize::from(pair[0])], ELEMENTS[usize::from(pair[1])]);
        widths.extend(bars.into_iter().zip(spaces).flat_map(|(bar, space)| [width(bar), width(space)]));
    }
    widths.extend([WIDE, 1, 1]);
    widths
}

/// Draws an even number of digits, each below ten, with readable digits below.
pub(super) fn svg(digits: &[u8], readable: &str) -> String {
    let elements = elements(digits);
    let width = elements.iter().sum::<u32>() + 2 * QUIET_ZONE;
    let height = BARS + DIGITS;
    let mut bars = String::new();
    let mut at = QUIET_ZONE;
    for (place, element) in elements.into_iter().enumerate() {
        if place % 2 == 0 {
            write!(bars, "M{at} 0h{element}v{BARS}h-{element}z").expect("a text takes everything");
        }
        at += element;
    }
    let (middle, below) = (width / 2, height - 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{width}v{height}H0z\"/><path d=\"{bars}\"/>\
         <text x=\"{middle}\" y=\"{below}\" font-family=\"monospace\" font-size=\"9\" text-anchor=\"middle\">{readable}</text>\
         </svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the bars of a drawing: where each begins, and how wide it is.
    fn bars(svg: &str) -> Vec<(u32, u32)> {
        let path = svg.split("<path d=\"").nth(1).unwrap().split('"').next().unwrap();
        let bar = |bar: &str| {
            let (x, rest) = bar.strip_prefix('M').unwrap().split_once(" 0h").unwrap();
            let (width, rest) = rest.split_once("v45h-").unwrap();
            assert_eq!(rest, width, "a bar is a rectangle");
            (x.parse().unwrap(), width.parse().unwrap())
        };
        path.split_terminator('z').map(bar).collect()
    }

    /// The words of the standard: two of five elements are wide, with the weights 1, 2, 4, 7 and parity. The sum of the weights is
    /// the digit, and 11 stands for zero.
    fn digit(elements: [u32; 5]) -> u8 {
        assert_eq!(elements.iter().filter(|width| **width == 3).count(), 2, "{elements:?}");
        assert_eq!(elements.iter().filter(|width| **width == 1).count(), 3, "{elements:?}");
        let weights = [1, 2, 4, 7, 0];
        match elements.iter().zip(weights).filter(|(width, _)| **width == 3).map(|(_, weight)| weight).sum() {
            11 => 0,
            sum => sum,
        }
    }

    /// A reader: from the edges of the bars back to the digits.
    fn read(svg: &str) -> Vec<u8> {
        let bars = bars(svg);
        assert_eq!(bars[0].0, 10, "the quiet zone before");
        let last = bars.last().unwrap();
        let width: u32 = svg.split("viewBox=\"0 0 ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert_eq!(width - last.0 - last.1, 10, "the quiet zone behind");
        let mut widths = Vec::new();
        for pair in bars.windows(2) {
            widths.extend([pair[0].1, pair[1].0 - pair[0].0 - pair[0].1]);
        }
        widths.push(last.1);
        assert_eq!(widths[..4], [1, 1, 1, 1], "the start");
        assert_eq!(widths[widths.len() - 3..], [3, 1, 1], "the stop");
        let mut digits = Vec::new();
        for pair in widths[4..widths.len() - 3].chunks_exact(10) {
            let of = |first: usize| std::array::from_fn(|place| pair[2 * place + first]);
            digits.extend([digit(of(0)), digit(of(1))]);
        }
        digits
    }

    #[test]
    fn every_digit_has_the_elements_of_the_standard() {
        let table = ["nnwwn", "wnnnw", "nwnnw", "wwnnn", "nnwnw", "wnwnn", "nwwnn", "nnnww", "wnnwn", "nwnwn"];
        for (elements, expected) in ELEMENTS.iter().zip(table) {
            let spelled: String = elements.iter().map(|wide| if *wide { 'w' } else { 'n' }).collect();
            assert_eq!(spelled, expected);
        }
    }

    /// The example of the standard's explanations: 12 is start, W N N N W in bars with N W N N W in spaces, stop.
    #[test]
    fn two_digits_are_interleaved() {
        assert_eq!(elements(&[1, 2]), [1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 1, 1, 3, 3, 3, 1, 1]);
    }

    #[test]
    fn a_reader_finds_the_digits_that_were_drawn() {
        for first in 0..10 {
            for second in 0..10 {
                assert_eq!(read(&svg(&[first, second], "")), [first, second]);
            }
        }
        let digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2];
        let drawn = svg(&digits, "01 2345 6789 9876 5432");
        assert_eq!(read(&drawn), digits);
        assert!(drawn.contains(">01 2345 6789 9876 5432</text>"), "{drawn}");
    }
}
