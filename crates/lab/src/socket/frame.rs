//! The frames of a WebSocket (RFC 6455): as a client sends them, and as it receives them. Messages come in one piece each, as
//! casinos send them.

use std::io;
use std::ops::Range;

/// No frame is larger.
const LARGEST: usize = 16 * 1024 * 1024;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Text,
    Close,
    Ping,
    Pong,
}

/// A frame within what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) payload: Range<usize>,
    /// How long it is with its head.
    pub(crate) length: usize,
}

/// Writes a frame of a client. Its mask is zero: masks protect proxies, and there is none on the way to a casino.
pub(crate) fn write(kind: FrameKind, payload: &[u8], into: &mut Vec<u8>) {
    let kind = match kind {
        FrameKind::Text => 0x1,
        FrameKind::Close => 0x8,
        FrameKind::Ping => 0x9,
        FrameKind::Pong => 0xA,
    };
    into.push(0x80 | kind);
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(length @ ..126), _) => into.push(0x80 | length),
        (_, Ok(length)) => {
            into.push(0x80 | 0x7e);
            into.extend(length.to_be_bytes());
        }
        (_, Err(_)) => {
            into.push(0x80 | 0x7f);
            into.extend(u64::try_from(payload.len()).expect("lengths fit into 64 bits").to_be_bytes());
        }
    }
    into.extend([0; 4]);
    into.extend(payload);
}

/// The first frame in what was read, if it is there whole.
pub(crate) fn read(bytes: &[u8]) -> io::Result<Option<Frame>> {
    let [first, second, rest @ ..] = bytes else { return Ok(None) };
    let kind = match first {
        0x81 => FrameKind::Text,
        0x88 => FrameKind::Close,
        0x89 => FrameKind::Ping,
        0x8A => FrameKind::Pong,
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let (length, head) = match *second {
        length @ ..126 => (usize::from(length), 2),
        126 => match rest.first_chunk() {
            Some(length) => (usize::from(u16::from_be_bytes(*length)), 4),
            None => return Ok(None),
        },
        127 => match rest.first_chunk() {
            Some(length) => (usize::try_from(u64::from_be_bytes(*length)).unwrap_or(usize::MAX), 10),
            None => return Ok(None),
        },
        // A casino does not mask.
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    if length > LARGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let end = head + length;
    Ok((bytes.len() >= end).then_some(Frame { kind, payload: head..end, length: end }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 6455, 5.7.
    #[test]
    fn frames_of_the_standard_are_read() {
        let hello = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f];
        assert_eq!(read(&hello).unwrap(), Some(Frame { kind: FrameKind::Text, payload: 2..7, length: 7 }));
        let mut long = vec![0x81, 0x7E, 0x01, 0x00];
        long.extend([b'x'; 256]);
        assert_eq!(read(&long).unwrap(), Some(Frame { kind: FrameKind::Text, payload: 4..260, length: 260 }));
        let mut longer = vec![0x81, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0];
        longer.extend(vec![b'x'; 65_536]);
        let length = longer.len();
        assert_eq!(read(&longer).unwrap(), Some(Frame { kind: FrameKind::Text, payload: 10..length, length }));
        for frame in [&hello[..], &long, &longer] {
            for end in 0..frame.len().min(300) {
                assert_eq!(read(&frame[..end]).unwrap(), None, "a part is no frame");
            }
        }
    }

    #[test]
    fn frames_that_no_casino_sends_are_refused() {
        for bad in [[0x01, 0], [0x82, 0], [0x80, 0], [0xC1, 0], [0x81, 0x80], [0x81, 0xFF]] {
            assert!(read(&bad).is_err(), "{bad:?}");
        }
        assert!(read(&[0x81, 0x7F, 0xFF, 0, 0, 0, 0, 0, 0, 0]).is_err(), "too large");
    }

    #[test]
    fn what_is_written_has_its_length_and_a_mask() {
        for length in [0, 1, 125, 126, 65_535, 65_536] {
            let payload = vec![b'x'; length];
            let mut written = Vec::new();
            write(FrameKind::Text, &payload, &mut written);
            assert_eq!(written[1] & 0x80, 0x80, "masked");
            // As a casino would read it: without the mask.
            written[1] &= 0x7F;
            let frame = {
                let head = written.len() - length - 4;
                written.drain(head..head + 4);
                read(&written).unwrap().unwrap()
            };
            assert_eq!((frame.kind, frame.payload.len(), frame.length), (FrameKind::Text, length, written.len()));
        }
    }
}
