//! Uniform whole numbers from the system's random source.

use taisai_rules::Dice;

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the system's random source gives nothing")]
pub(super) struct NoChance;

pub(super) fn below(end: u32) -> Result<u32, NoChance> {
    // Reject the incomplete last stretch, which would favour low numbers.
    let whole = u32::MAX - u32::MAX % end;
    loop {
        let drawn = getrandom::u32().map_err(|_| NoChance)?;
        if drawn < whole {
            return Ok(drawn % end);
        }
    }
}

/// True once in `times` calls on average.
pub(super) fn once_in(times: u32) -> Result<bool, NoChance> {
    Ok(below(times)? == 0)
}

pub(super) fn one_of<T: Copy>(of: &[T]) -> Result<Option<T>, NoChance> {
    match u32::try_from(of.len()) {
        Ok(0) | Err(_) => Ok(None),
        Ok(many) => Ok(usize::try_from(below(many)?).ok().and_then(|place| of.get(place).copied())),
    }
}

pub(super) fn dice() -> Result<Dice, NoChance> {
    let face = || Ok(u8::try_from(below(6)? + 1).unwrap_or(1));
    Dice::try_from([face()?, face()?, face()?]).map_err(|_| NoChance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_comes_up() {
        let mut seen = [false; 6];
        for _ in 0..1_000 {
            for face in dice().expect("chance").faces() {
                seen[usize::from(face.number()) - 1] = true;
            }
        }
        assert_eq!(seen, [true; 6]);
        assert!((0..1_000).all(|_| below(7).expect("chance") < 7));
        assert_eq!(one_of::<u8>(&[]).expect("chance"), None);
    }
}
